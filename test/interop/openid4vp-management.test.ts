/** A tenant's data for OpenID4VP: verifiers and their public ids, trusted issuers, sessions and results. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { tenantOfPublicId } from '../../lib/openid/public-ids.ts'
import { resultItem } from '../../lib/openid4vp/result.ts'
import { getItem } from '../../lib/store/table.ts'
import { transaction } from '../../lib/store/transaction.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import { verifiedSession } from '../support/calls/openid4vp.ts'
import { foreignCertificate } from '../support/calls/x509.ts'
import type { Call } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'

const issuer = await trustIssuer()
const stage = await useStage({ delivers: false })
const callAs = callInProcess(stage, issuer)
const newTenant = async () => ({
  tenantId: String((await callAs('CreateTenant', { body: { config: { label: 'Acme' } } })).body.id),
})
const globex = await newTenant()

let acme: { tenantId: string }
beforeEach(async () => {
  acme = await newTenant()
})

const call = (operationId: string, request: Call = {}) => callAs(operationId, { caller: acme, ...request })
const done = async (operationId: string, request: Call = {}) => {
  const { status, body } = await call(operationId, request)
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body
}
const statusOf = async (operationId: string, request: Call = {}) => (await call(operationId, request)).status

const newVerifier = (body: object = {}) => done('CreateVerifier', { body })
const newCertificate = (body: object) => done('CreateCertificate', { body }).then(({ keyId }) => String(keyId))

describe('a verifier', () => {
  test('is shown with the fields of its creation, and loses those that an update omits', async () => {
    const verifierId = `acme.${randomUUID()}`
    const clientMetadata = { client_name: 'Acme' }
    const created = await newVerifier({ verifierId, clientMetadata, registrationCertificate: 'a.b.c' })
    expect(created).toMatchObject({ id: verifierId, verifierId, clientMetadata, registrationCertificate: 'a.b.c' })
    const path = { verifierId }
    expect(await done('GetVerifierById', { path })).toEqual(created)
    const { id, createdAt, metadata, _tags } = created
    const updated = { id, createdAt, updatedAt: expect.any(String), metadata, _tags, verifierId, haip: true }
    expect(await done('UpdateVerifier', { path, body: { haip: true } })).toEqual(updated)
    expect(await done('GetVerifiers')).toEqual([updated])
    expect((await newVerifier()).verifierId).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('has an id that is never used again, and that is unknown after its deletion', async () => {
    const verifierId = randomUUID()
    await newVerifier({ verifierId })
    const taken = { body: { verifierId } }
    expect(await statusOf('CreateVerifier', taken)).toBe(409)
    expect(await statusOf('DeleteVerifier', { path: { verifierId } })).toBe(204)
    expect(await statusOf('GetVerifierById', { path: { verifierId } })).toBe(404)
    await expect(tenantOfPublicId(verifierId, 'verifier')).rejects.toMatchObject({ code: 'resource.not_found' })
    for (const caller of [acme, globex]) expect(await statusOf('CreateVerifier', { ...taken, caller })).toBe(409)
    expect(await statusOf('DeleteVerifier', { path: { verifierId } })).toBe(404)
  })

  test('belongs to one tenant where many request an id concurrently', async () => {
    const body = { verifierId: randomUUID() }
    const callers = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? acme : globex))
    const statuses = await Promise.all(callers.map((caller) => statusOf('CreateVerifier', { caller, body })))
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
  })

  test('is listed page by page, whatever characters its id has', async () => {
    const ids = [`a~${randomUUID()}`, `B_.${randomUUID()}`, randomUUID()]
    for (const verifierId of ids) await newVerifier({ verifierId })
    const listed: string[] = []
    for (let query: Record<string, string> | undefined = { limit: '1' }; query !== undefined; ) {
      const { body, headers } = await stage.call('getVerifiers', { caller: acme, query })
      listed.push(...body.map(({ id }: { id: string }) => id))
      const next = /[?&]cursor=([^&>]+)/.exec(headers.link ?? '')?.[1]
      query = next === undefined ? undefined : { limit: '1', cursor: next }
    }
    expect(listed).toEqual(ids)
  })

  test('needs a public URL at https', async () => {
    const { status, body } = await stage.call('createVerifier', { caller: acme, body: {} })
    expect([status, body.message]).toEqual([422, expect.stringMatching(/PUBLIC_URL.*https/)])
  })

  test('has a certificate of its tenant, and with HAIP not a self-signed one', async () => {
    const certificateId = await newCertificate({ issuer: 'CN=Acme' })
    await newVerifier({ certificateId })
    const isOther = [{ path: 'certificateId', message: 'is not a certificate of this agent' }]
    const others = await call('CreateVerifier', { caller: globex, body: { certificateId } })
    expect([others.status, others.body.details]).toEqual([422, isOther])
    const path = { verifierId: (await newVerifier()).verifierId }
    const haip = { body: { certificateId, haip: true } }
    for (const { status, body } of [
      await call('CreateVerifier', haip),
      await call('UpdateVerifier', { path, ...haip }),
    ])
      expect([status, body.details]).toEqual([
        422,
        [{ path: 'certificateId', message: expect.stringContaining('HAIP 1.0, section 5') }],
      ])
    const issuerCertificateId = await newCertificate({
      issuer: 'CN=Root',
      extensions: { basicConstraints: { ca: true } },
    })
    const leaf = await newCertificate({ issuerCertificateId, subject: 'CN=agent.example' })
    expect(await newVerifier({ certificateId: leaf, haip: true })).toMatchObject({ certificateId: leaf, haip: true })
  })

  test('keeps its certificate from being deleted', async () => {
    const certificateId = await newCertificate({ issuer: 'CN=Acme' })
    const { verifierId } = await newVerifier({ certificateId })
    expect(await statusOf('DeleteCertificate', { path: { certificateId } })).toBe(409)
    await done('UpdateVerifier', { path: { verifierId }, body: {} })
    expect(await statusOf('DeleteCertificate', { path: { certificateId } })).toBe(204)
  })

  test('is one of 50 at most', async () => {
    for (let count = 0; count < 50; count++) await newVerifier()
    expect(await statusOf('CreateVerifier', { body: {} })).toBe(409)
    expect(await statusOf('CreateVerifier', { caller: globex, body: {} })).toBe(200)
  })
})

describe('a trusted issuer', () => {
  const vcts = ['https://acme.example/degree']

  test('has its certificates in base64 of DER, whatever their format in the call', async () => {
    const { certificate } = await foreignCertificate('Acme')
    const pem = `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
    const created = await done('CreateTrustedIssuer', { body: { certificates: [pem], vcts, name: 'Acme' } })
    expect(created).toMatchObject({ certificates: [certificate], vcts, name: 'Acme' })
    expect(await done('GetTrustedIssuers')).toEqual([created])
    const path = { trustedIssuerId: created.id }
    expect(await statusOf('DeleteTrustedIssuer', { caller: globex, path })).toBe(404)
    expect(await statusOf('DeleteTrustedIssuer', { path })).toBe(204)
    expect(await done('GetTrustedIssuers')).toEqual([])
  })

  test('has certificates that can be read', async () => {
    const { certificate } = await foreignCertificate('Acme')
    const body = { certificates: [certificate, certificate.slice(0, -40)], vcts }
    const { status, body: answer } = await call('CreateTrustedIssuer', { body })
    expect([status, answer.details]).toEqual([422, [{ path: 'certificates.1', message: expect.any(String) }]])
  })

  test('is one of 50 at most', async () => {
    const body = { issuer: 'https://issuer.example', vcts }
    for (let count = 0; count < 50; count++) await done('CreateTrustedIssuer', { body })
    expect(await statusOf('CreateTrustedIssuer', { body })).toBe(409)
  })
})

describe('a verification session', () => {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const show = (verificationSessionId: string) =>
    done('GetVerificationSessionById', { path: { verificationSessionId } })
  const list = async (query: Record<string, string> = {}) =>
    (await done('GetVerificationSessions', { query })).map(({ id }: { id: string }) => id)

  test('is listed, the newest first, by verifier and by the state that is shown', async () => {
    const { tenantId } = acme
    const session = (seconds: number, more: object) =>
      verifiedSession(tenantId, { createdAt: at(seconds * 1000), ...more })
    const coded = { state: 'ResponseReceived' }
    const verified = await session(1, {})
    const waiting = await session(2, { ...coded, codeTries: 4, codeExpiresAt: at(300_000) })
    const late = await session(3, { ...coded, codeTries: 0, codeExpiresAt: at(-1) })
    const tried = await session(4, { ...coded, codeTries: 5, codeExpiresAt: at(300_000) })
    const failed = await session(5, { state: 'Error', verifierId: 'other' })
    expect(await list()).toEqual([failed, tried, late, waiting, verified])
    expect(await list({ order: 'asc', limit: '1' })).toEqual([verified])
    expect(await list({ publicVerifierId: 'acme' })).toEqual([tried, late, waiting, verified])
    expect(await list({ state: 'Error' })).toEqual([failed, tried, late])
    expect(await list({ state: 'Error', publicVerifierId: 'acme' })).toEqual([tried, late])
    expect(await list({ state: 'ResponseReceived' })).toEqual([waiting])
    expect(await show(late)).toMatchObject({ state: 'Error', error: 'response_code' })
  })

  test('shows its claims where it is verified, until they expire, and no internal fields', async () => {
    const id = await verifiedSession(acme.tenantId)
    const shown = await show(id)
    expect(shown).toMatchObject({ id, state: 'ResponseVerified', checks: [], claims: { pid: [{ name: 'Alice' }] } })
    for (const name of ['payload', 'certificateId', 'resultTtl']) expect(shown).not.toHaveProperty(name)
    const key = { tenant: acme.tenantId, sessionId: id }
    const now = Math.floor(Date.now() / 1000)
    await transaction(acme.tenantId, async (unit) =>
      unit.change(resultItem.addressOf(key), { set: resultItem.attributes({ expiresAt: now }) }),
    )
    expect(await show(id)).not.toHaveProperty('claims')
  })

  test('shows neither claims nor checks before the code was given', async () => {
    const waiting = { state: 'ResponseReceived', codeTries: 0, codeExpiresAt: at(300_000) }
    for (const more of [waiting, { ...waiting, codeTries: 5 }]) {
      const shown = await show(await verifiedSession(acme.tenantId, more))
      for (const name of ['claims', 'checks', 'credentials']) expect(shown).not.toHaveProperty(name)
    }
  })

  test('is deleted with its claims, by its tenant', async () => {
    const id = await verifiedSession(acme.tenantId)
    const request = { path: { verificationSessionId: id } }
    const result = () => getItem(resultItem.addressOf({ tenant: acme.tenantId, sessionId: id }))
    for (const operationId of ['GetVerificationSessionById', 'DeleteVerificationSession'])
      expect(await statusOf(operationId, { ...request, caller: globex })).toBe(404)
    expect(await result()).toBeDefined()
    expect(await statusOf('DeleteVerificationSession', request)).toBe(204)
    expect(await result()).toBeUndefined()
    expect(await statusOf('DeleteVerificationSession', request)).toBe(404)
  })
})
