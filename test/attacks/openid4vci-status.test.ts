/** Hostile and simultaneous changes of statuses that an issuer of OpenID4VCI has given, and lists of third parties. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { jobItem } from '../../lib/jobs/job.ts'
import { runJob } from '../../lib/jobs/run.ts'
import { statusRevocationJob } from '../../lib/openid4vci/revocation-job.ts'
import { findSession } from '../../lib/openid4vci/session.ts'
import { issuanceSessionRecords } from '../../lib/records/openid-kinds.ts'
import { readBits } from '../../lib/status-list/pieces.ts'
import { statusListToken } from '../../lib/status-list/token.ts'
import { readItem } from '../../lib/store/item.ts'
import { recordAddress } from '../../lib/store/keys.ts'
import { getItem } from '../../lib/store/table.ts'
import { transaction } from '../../lib/store/transaction.ts'
import { issuedSession } from '../support/calls/openid4vci-status.ts'
import { failed, queryOf, startPresenting, VERIFIED } from '../support/openid/presenting.ts'
import { newAuthority, useVerifier, VCT } from '../support/openid/verification.ts'
import { createTenant } from '../support/scenes.ts'
import { atHttps, HTTPS_URL } from '../support/stage/at-https.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { withOpenStack } from '../support/table/open-stack.ts'
import { TransactionConflicts } from '../support/table/transaction-conflicts.ts'

const stage = await useStage({ delivers: false })
const conflicts = new TransactionConflicts(stage.serviceClient)
const [acme, globex] = [await createTenant(stage, 'Acme'), await createTenant(stage, 'Globex')]
const { tenantId } = acme
const call = (operation: string, asked: object, caller: object = acme) =>
  atHttps(() => stage.call(operation, { caller, ...asked }))
const change = (name: 'revoke' | 'suspend' | 'resume', issuanceSessionId: string, caller: object = acme) =>
  call(`${name}IssuanceSession`, { path: { issuanceSessionId }, body: {} }, caller)
const issued = (more: Parameters<typeof issuedSession>[1] = {}, of = tenantId) => issuedSession(of, more)
const sessionOf = async (id: string, of = tenantId) => {
  const session = await transaction(of, (unit) => findSession(unit, id))
  if (session === undefined) throw new Error('no such session')
  return session
}
/** The statuses of a session's credentials in lists. */
const bitsOf = async (id: string, of = tenantId): Promise<number[]> => {
  const { issuedCredentials = [] } = await sessionOf(id, of)
  const statuses = issuedCredentials.flatMap(({ status }) => status ?? [])
  const read = async ({ listId, indexes }: (typeof statuses)[number]) => {
    const bits = await readBits(of, listId)
    return indexes.map((index) => (Number(bits[index >> 2]) >> ((index & 3) * 2)) & 3)
  }
  return [...new Set((await Promise.all(statuses.map(read))).flat())]
}
const stored = (id: string) => getItem(recordAddress(tenantId, 'OpenId4VcIssuanceSessionRecord', id))
afterEach(() => void vi.useRealTimers())

describe('a status', () => {
  test('is changed of all that a session has issued, and never again once revoked', async () => {
    const id = await issued({ count: 50 })
    expect(await change('suspend', id)).toMatchObject({ status: 200, body: { credentialStatus: 'suspended' } })
    expect(await bitsOf(id)).toEqual([2])
    expect(await change('resume', id)).toMatchObject({ status: 200, body: { credentialStatus: 'valid' } })
    expect(await bitsOf(id)).toEqual([0])
    await change('suspend', id)
    expect(await change('revoke', id)).toMatchObject({ status: 200, body: { credentialStatus: 'revoked' } })
    for (const name of ['suspend', 'resume'] as const) expect(await change(name, id)).toMatchObject({ status: 409 })
    expect(await bitsOf(id)).toEqual([1])
  })

  test('is written once, however often it is asked for', async () => {
    const id = await issued()
    for (const name of ['suspend', 'revoke'] as const) {
      await change(name, id)
      const before = await stored(id)
      expect(await change(name, id)).toMatchObject({ status: 200 })
      expect(await stored(id)).toEqual(before)
    }
    expect(await change('resume', await issued())).toMatchObject({ status: 409 })
  })

  test('is that of revocable credentials only', async () => {
    const none = {
      issuedCredentials: [{ credentialConfigurationId: 'a', issuedAt: '2026-11-01T00:00:00.000Z', count: 1 }],
    }
    for (const more of [none, { issuedCredentials: undefined }]) {
      const id = await issued(more)
      for (const name of ['revoke', 'suspend', 'resume'] as const)
        expect(await change(name, id)).toMatchObject({ status: 409 })
    }
  })

  test('that is revoked is not undone by a resume at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await issued()
      await change('suspend', id)
      const replies = await Promise.all([change('resume', id), change('revoke', id), change('resume', id)])
      expect(replies[1]?.status).toBe(200)
      expect(await sessionOf(id)).toMatchObject({ credentialStatus: 'revoked' })
      expect(await bitsOf(id)).toEqual([1])
    }
  })

  test('of twenty in one piece is right, or must be requested again, if they are revoked concurrently', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => issued({ index })))
    let replies: Json[] = []
    await conflicts.watch(async () => {
      replies = await Promise.all(ids.map((id) => change('revoke', id)))
    })
    for (const [index, id] of ids.entries()) {
      expect([200, 409]).toContain(replies[index].status)
      expect(await bitsOf(id)).toEqual([replies[index].status === 200 ? 1 : 0])
      expect(await change('revoke', id)).toMatchObject({ status: 200 })
      expect(await bitsOf(id)).toEqual([1])
    }
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(15)
  })

  test('in over 90 pieces is changed in several transactions, permanently only', async () => {
    const lists = ['first', 'second'].map((listId) => ({
      ...{ credentialConfigurationId: 'degree', issuedAt: '2026-11-01T00:00:00.000Z', count: 64 },
      status: { listId, indexes: Array.from({ length: 64 }, (_, piece) => piece * 2048 + 5) },
    }))
    const id = await issued({ issuedCredentials: lists })
    expect(await change('suspend', id)).toMatchObject({ status: 413 })
    expect(await bitsOf(id)).toEqual([0])
    expect(await change('revoke', id)).toMatchObject({ status: 200, body: { credentialStatus: 'revoked' } })
    expect(await change('resume', id)).toMatchObject({ status: 409 })
    await stage.line.settle()
    expect(await bitsOf(id)).toEqual([1])
  })
})

test('a change of status is an event; issuance is none', () => {
  const { isChange } = issuanceSessionRecords.events?.['openid4vc_issuance.status_changed'] ?? {}
  const changes = (before: string | undefined, after: string) =>
    isChange?.({ credentialStatus: after, _tags: {} }, { ...(before && { credentialStatus: before }), _tags: {} })
  expect([changes(undefined, 'valid'), changes('valid', 'valid')]).toEqual([false, false])
  expect([changes(undefined, 'revoked'), changes('suspended', 'valid')]).toEqual([true, true])
})

describe('a revocation of many', () => {
  const start = (body: object, caller: object = acme) => call('revokeStatuses', { body }, caller)
  const shown = (revocationId: string, caller: object = acme) =>
    call('getStatusRevocation', { path: { revocationId } }, caller)
  const runOf = async (body: object) => {
    const { status, body: started } = await start(body)
    expect(status).toBe(202)
    await stage.line.settle()
    return (await shown(started.id)).body
  }

  test('counts foreign and unknown sessions alike, and does not touch them', async () => {
    const theirs = await issued({}, String(globex.tenantId))
    const [first, second, open] = [await issued(), await issued(), await issued({ issuedCredentials: undefined })]
    await change('revoke', second)
    const sessionIds = [first, theirs, 'unknown', second, first, open]
    const { id, ...shownThen } = await runOf({ sessionIds })
    expect(shownThen).toMatchObject({ state: 'done', total: 6, done: 3, failed: 3 })
    expect(JSON.stringify(shownThen)).not.toContain(theirs)
    expect([await bitsOf(first), await bitsOf(second), await bitsOf(theirs, globex.tenantId)]).toEqual([[1], [1], [0]])
    const [foreign, unknown] = [await shown(id, globex), await shown('unknown', globex)]
    expect(foreign).toMatchObject({ status: 404, body: unknown.body })
  })

  test('of an issuer of another tenant is that of none', async () => {
    const theirs = await issued({ issuerId: 'globex' }, String(globex.tenantId))
    const [foreign, unknown] = [await start({ publicIssuerId: 'globex' }), await start({ publicIssuerId: 'none' })]
    expect(foreign).toMatchObject({ status: 404, body: unknown.body })
    expect(await bitsOf(theirs, globex.tenantId)).toEqual([0])
  })

  test('is of the issuer, the configuration and the time that it names', async () => {
    const { issuerId } = (await call('createIssuer', { body: { credentialConfigurationsSupported: {} } })).body as {
      issuerId: string
    }
    const at = (issuedAt: string, credentialConfigurationId: string, index: number) =>
      issued({
        issuerId,
        issuedCredentials: [
          { credentialConfigurationId, issuedAt, count: 1, status: { listId: 'times', indexes: [index] } },
        ],
      })
    const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']
    const ids = [await at(early, 'degree', 1), await at(late, 'degree', 2), await at(late, 'diploma', 3)]
    const other = await issued({ issuerId: 'another' })
    const bits = () => Promise.all([...ids, other].map((id) => bitsOf(id)))
    const filter = { publicIssuerId: issuerId, credentialConfigurationId: 'degree' }
    const none = { state: 'done', total: 0, done: 0, failed: 0 }
    expect(await runOf({ ...filter, issuedBefore: early })).toMatchObject(none)
    expect(await runOf({ ...filter, issuedAfter: late })).toMatchObject(none)
    expect(await runOf({ ...filter, issuedAfter: early })).toMatchObject({ total: 1, done: 1 })
    expect(await bits()).toEqual([[0], [1], [0], [0]])
    expect(await runOf({ ...filter, issuedBefore: late })).toMatchObject({ total: 1, done: 1 })
    expect(await bits()).toEqual([[1], [1], [0], [0]])
    expect(await runOf({ publicIssuerId: issuerId })).toMatchObject({ total: 3, done: 3 })
    expect(await bits()).toEqual([[1], [1], [1], [0]])
  })

  test('whose process is killed in the middle continues, and counts each session once', async () => {
    const sessionIds = await Promise.all(Array.from({ length: 12 }, () => issued()))
    const { id } = (await start({ sessionIds: [...sessionIds, 'unknown'] })).body
    const key = { tenant: tenantId, type: 'status-revocation', id } as const
    // The fifth write of a session is never answered, whether it was done or not.
    let writes = 0
    const killed = Promise.withResolvers<void>()
    withOpenStack(stage.serviceClient).middlewareStack.add(
      (next) => async (parameters) => {
        const isLast = 'TransactItems' in parameters.input && ++writes === 5
        const result = await next(parameters)
        if (!isLast) return result
        killed.resolve()
        return new Promise<never>(() => undefined)
      },
      { step: 'initialize', name: 'killed' },
    )
    await Promise.race([runJob(key, statusRevocationJob), killed.promise])
    stage.serviceClient.middlewareStack.remove('killed')
    expect((await shown(id)).body).toMatchObject({ state: 'pending', done: 0, failed: 0 })
    expect((await Promise.all(sessionIds.map((one) => bitsOf(one)))).filter(([bit]) => bit === 1)).toHaveLength(5)
    await runJob(key, statusRevocationJob)
    expect((await shown(id)).body).toMatchObject({ state: 'pending' })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 91_000 })
    await runJob(key, statusRevocationJob)
    expect((await shown(id)).body).toMatchObject({ state: 'done', total: 13, done: 12, failed: 1 })
    expect((await Promise.all(sessionIds.map((one) => bitsOf(one)))).every(([bit]) => bit === 1)).toBe(true)
    expect(await readItem(jobItem, key)).toBeUndefined()
  })

  test('that meets others at the same pieces fails no session', async () => {
    const { id } = (await start({ sessionIds: [await issued(), await issued()] })).body
    const key = { tenant: tenantId, type: 'status-revocation', id } as const
    // Each session meets others nine times, which is the last.
    conflicts.refuseNext(9)
    await runJob(key, statusRevocationJob)
    expect(conflicts.refused()).toBe(9)
    expect((await shown(id)).body).toMatchObject({ state: 'pending', done: 0, failed: 0 })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 })
    await runJob(key, statusRevocationJob)
    expect((await shown(id)).body).toMatchObject({ state: 'done', done: 2, failed: 0 })
  })

  test('of more than one run keeps its place between them', async () => {
    const [one] = [await issued()]
    const { id } = (await start({ sessionIds: [one, ...Array.from({ length: 250 }, (_, index) => `none-${index}`)] }))
      .body
    const key = { tenant: tenantId, type: 'status-revocation', id } as const
    await runJob(key, statusRevocationJob)
    expect((await shown(id)).body).toMatchObject({ state: 'pending', total: 251, done: 1, failed: 199 })
    await runJob(key, statusRevocationJob)
    expect((await shown(id)).body).toMatchObject({ state: 'done', total: 251, done: 1, failed: 250 })
  })
})

describe('a list of this service', async () => {
  const verifier = await useVerifier(stage)
  const [trusted, other] = [await newAuthority('Trusted'), await newAuthority('Other')]
  await verifier.done('createTrustedIssuer', { body: { certificates: [trusted.root], vcts: [VCT] } })
  const { one } = startPresenting(verifier, trusted)
  /** An issuer of another tenant than the verifier's, with a session. */
  const issuerBy = async ({ leaf, leafKey }: typeof trusted) => {
    const caller = await createTenant(stage, 'Issuer')
    const privateKey = leafKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
    await call('importCertificate', { body: { certificate: leaf, keyType: 'P-256', privateKey } }, caller)
    const { issuerId } = (await call('createIssuer', { body: { credentialConfigurationsSupported: {} } }, caller)).body
    const id = await issued({ issuerId }, caller.tenantId)
    const { issuedCredentials = [] } = await sessionOf(id, caller.tenantId)
    const { listId = '', indexes = [] } = issuedCredentials[0]?.status ?? {}
    const uri = `${HTTPS_URL}/oid4vci/${issuerId}/status/${listId}`
    return { caller, id, issuerId, listId, status: { status_list: { uri, idx: indexes[0] } } }
  }
  const [by, foreign] = [await issuerBy(trusted), await issuerBy(other)]
  const read = (path: object) => call('getStatusList', { caller: {}, path })

  test('revokes a credential concurrently', async () => {
    const present = () => one({ claims: { status: by.status } })
    expect(await present()).toMatchObject({ ...VERIFIED, credentials: [{ status: 'valid' }] })
    await change('suspend', by.id, by.caller)
    expect(await present()).toMatchObject({ ...failed('status'), errorMessage: expect.stringMatching(/suspended/) })
    await change('resume', by.id, by.caller)
    expect(await present()).toMatchObject(VERIFIED)
    await change('revoke', by.id, by.caller)
    expect(await present()).toMatchObject({ ...failed('status'), errorMessage: expect.stringMatching(/invalid/) })
  })

  test('of another issuer has no effect on a credential, whether or not it is trusted', async () => {
    expect(await one({ claims: { status: foreign.status } })).toMatchObject(failed('status'))
    const borrowed = { status_list: { ...by.status.status_list, uri: foreign.status.status_list.uri } }
    expect(await one({ claims: { status: borrowed } }, queryOf({}))).toMatchObject(failed('status'))
    const mixed = `${HTTPS_URL}/oid4vci/${by.issuerId}/status/${foreign.listId}`
    const session = await one({ claims: { status: { status_list: { uri: mixed, idx: 0 } } } })
    expect(session).toMatchObject({ ...failed('status'), errorMessage: expect.stringMatching(/unreadable/) })
  })

  test('is found by its issuer and its id only', async () => {
    expect(await read({ issuerId: by.issuerId, listId: by.listId })).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/statuslist+jwt', 'cache-control': 'public, max-age=300' },
    })
    const replies = await Promise.all([
      read({ issuerId: 'unknown', listId: by.listId }),
      read({ issuerId: by.issuerId, listId: foreign.listId }),
      read({ issuerId: foreign.issuerId, listId: by.listId }),
      read({ issuerId: by.issuerId, listId: 'unknown' }),
    ])
    for (const { status, body } of replies) expect({ status, body }).toEqual({ status: 404, body: replies[0]?.body })
  })

  test('is not sent again to who has it, and is served on for an issuer that issues nothing more', async () => {
    const path = { issuerId: by.issuerId, listId: by.listId }
    const { headers } = await read(path)
    const again = await call('getStatusList', { caller: {}, path, headers: { 'if-none-match': headers.etag } })
    expect(again).toMatchObject({ status: 304, headers: { etag: headers.etag } })
    await call('deleteIssuer', { path: { issuerId: by.issuerId }, query: { keep: 'public' } }, by.caller)
    expect(await read(path)).toMatchObject({ status: 200 })
    expect(await atHttps(() => statusListToken(path))).toMatchObject({ etag: headers.etag })
  })
})
