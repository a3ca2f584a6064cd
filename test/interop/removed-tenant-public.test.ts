/** What is served of a removed tenant whose credentials stay verifiable, and what is left of it in the table. */
import { randomUUID } from 'node:crypto'
import { getListFromStatusListJWT } from '@sd-jwt/jwt-status-list'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterEach, expect, test, vi } from 'vitest'
import { signLists } from '../../lib/removal/keep-public.ts'
import { startRun } from '../../lib/removal/run.ts'
import { listsOf } from '../../lib/status-list/lists.ts'
import { getItem } from '../../lib/store/table.ts'
import { removedTenantItem, tenantAddress } from '../../lib/tenants/tenants.ts'
import { bound, CLAIMS, IDENTITY, useIssuer } from '../support/openid/issuance.ts'
import { contentOf, kindsOf, remove, run, runOnce } from '../support/removed-tenant.ts'
import { atHttps, HTTPS_URL } from '../support/stage/at-https.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { withOpenStack } from '../support/table/open-stack.ts'
import { succeed } from '../support/tenants.ts'

const stage = await useStage()
afterEach(() => void vi.useRealTimers())

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const KEPT = ['OpenId4VcIssuerRecord', 'X509CertificateRecord', 'entry', 'signed-status-list', 'web-document']

/** A tenant with did:web, a type, a list of its own with a valid and a revoked credential, and a list that it has named. */
const useTenant = async () => {
  const issuerId = randomUUID()
  const vct = `${HTTPS_URL}/oid4vci/${issuerId}/types/identity`
  const settings = { issuerId, batchCredentialIssuance: undefined }
  const configurations = { credentialConfigurationsSupported: { [IDENTITY]: bound({ vct }) } }
  const issuer = await useIssuer(stage, 'Issuer', { ...settings, ...configurations })
  const tenantId = String(issuer.caller.tenantId)
  const exp = Math.floor(Date.now() / 1000) + 86_400
  const issue = async (more: object, payload: object = CLAIMS) => {
    const credentials = [{ credentialSupportedId: IDENTITY, payload, ...more }]
    const made = await issuer.offer({ credentials, isRevocable: true })
    const {
      credentials: [issued],
    } = await issuer.obtain(await issuer.take(made))
    const { status } = decodeJwt(issued.credential.split('~')[0])
    return { id: made.session.id, ...(status as Json).status_list }
  }
  const [valid, revoked] = [await issue({}), await issue({})]
  const named = await issue({ statusListDetails: { listId: 'mine', index: 7 } }, { ...CLAIMS, exp })
  await issuer.done('revokeIssuanceSession', { path: { issuanceSessionId: revoked.id }, body: {} })
  await succeed(stage, 'createDid', issuer.caller, { body: { method: 'web' } })
  const list = (uri: string) => issuer.open('getStatusList', { path: { issuerId, listId: uri.split('/').at(-1) } })
  const served = () =>
    Promise.all([
      issuer.open('getIssuerKeys', {}),
      issuer.open('getCredentialType', { path: { issuerId, name: 'identity' } }),
      issuer.open('getWellKnown', { path: { issuerId, name: 'jwt-vc-issuer' } }),
      stage.call('getWebDidDocument', { caller: {}, path: { tenantId } }),
    ]).then((replies) => replies.map(contentOf))
  return { issuer, tenantId, exp, issue, valid, revoked, named, list, served, offered: await issuer.offer() }
}

/** Verifies a list by the published keys. Returns its times, and a status. */
const verified = async ({ issuer, list }: Awaited<ReturnType<typeof useTenant>>, { uri, idx }: Json) => {
  const { status, headers, body } = await list(uri)
  expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=86400'])
  const keys = createLocalJWKSet((await issuer.open('getIssuerKeys', {})).body)
  const { payload } = await jwtVerify(String(body), keys, { typ: 'statuslist+jwt', subject: uri })
  return { exp: payload.exp, ttl: payload.ttl, status: getListFromStatusListJWT(String(body)).getStatus(idx) }
}

test('keeps lists until their ends, and files as they were; nothing is issued or revoked any more', async () => {
  const tenant = await useTenant()
  const { issuer, tenantId, valid, revoked, named, offered, served, list } = tenant
  const wallet = await issuer.take(await issuer.offer())
  const before = await served()
  for (const { status } of before) expect(status).toBe(200)
  // A process that has the key, and has served the list.
  expect((await list(revoked.uri)).headers['cache-control']).toBe('public, max-age=300')
  const [{ until = '' } = {}] = (await listsOf(tenantId, issuer.issuerId)).filter(({ listId }) => listId === 'mine')
  const path = { certificateId: issuer.certificateId }
  const { notAfter } = await issuer.done('getCertificateById', { path })
  await remove(stage, tenantId, { keep: 'public' })
  await run(stage, tenantId)

  expect((await kindsOf(stage, tenantId)).toSorted()).toEqual(KEPT)
  const mark = removedTenantItem.decode(Object(await getItem(tenantAddress(tenantId))))
  expect(mark).toEqual({ id: tenantId, removedAt: expect.any(String), keep: 'public' })
  expect(await served()).toEqual(before)
  const end = Math.floor(Date.parse(notAfter) / 1000)
  expect(await verified(tenant, revoked)).toEqual({ exp: end, ttl: 86_400, status: 1 })
  expect(await verified(tenant, valid)).toEqual({ exp: end, ttl: 86_400, status: 0 })
  expect(await verified(tenant, named)).toEqual({ exp: Date.parse(until) / 1000, ttl: 86_400, status: 0 })
  const reply = await list(valid.uri)
  const { etag } = reply.headers
  const listId = valid.uri.split('/').at(-1)
  const again = { path: { issuerId: issuer.issuerId, listId }, headers: { 'if-none-match': etag } }
  expect(await issuer.open('getStatusList', again)).toMatchObject({ status: 304 })

  const session = { issuerId: issuer.issuerId, issuanceSessionId: offered.session.id }
  const wellKnown = (name: string) => issuer.open('getWellKnown', { path: { issuerId: issuer.issuerId, name } })
  const replies = [
    issuer.open('requestToken', { headers: FORM, body: new URLSearchParams(issuer.formOf(offered)).toString() }),
    issuer.open('requestNonce', {}),
    issuer.postCredential(wallet.accessToken, { credential_configuration_id: IDENTITY }),
    issuer.notify(wallet.accessToken, { notification_id: 'a', event: 'credential_accepted' }),
    issuer.open('getCredentialOffer', { path: session }),
    wellKnown('openid-credential-issuer'),
    wellKnown('oauth-authorization-server'),
    list('/unknown'),
  ]
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([400, 404, 401, 401, 404, 404, 404, 404])
})

test('keeps nothing without keep, and serves no list once it has begun', async () => {
  const { tenantId, revoked, served, list } = await useTenant()
  expect((await list(revoked.uri)).status).toBe(200)
  await remove(stage, tenantId, {})
  await run(stage, tenantId)
  expect(await kindsOf(stage, tenantId)).toEqual([])
  expect((await Promise.all([...(await served()), await list(revoked.uri)])).map(({ status }) => status)).toEqual(
    Array.from({ length: 5 }, () => 404),
  )
})

test('signs lists when no process changes them any more, and serves whole ones wherever it is killed', async () => {
  const tenant = await useTenant()
  const { tenantId, revoked, list } = tenant
  await remove(stage, tenantId, { keep: 'public' })
  await stage.line.pause()
  await runOnce(stage, tenantId)
  expect(await kindsOf(stage, tenantId)).not.toContain('signed-status-list')
  const { middlewareStack } = withOpenStack(stage.serviceClient)
  for (let kill = 2; kill < 40; kill++) {
    // This many writes of a run are done, of the last one no response comes.
    const killed = Promise.withResolvers<void>()
    let writes = 0
    middlewareStack.add(
      (next, { commandName }) =>
        async (parameters) => {
          const isLast = /Put|Update|Delete|Transact/.test(String(commandName)) && ++writes === kill
          const result = await next(parameters)
          if (!isLast) return result
          killed.resolve()
          return new Promise<never>(() => undefined)
        },
      { step: 'initialize', name: 'killed' },
    )
    await Promise.race([runOnce(stage, tenantId, kill * 10), killed.promise])
    vi.useRealTimers()
    middlewareStack.remove('killed')
    expect(getListFromStatusListJWT(String((await list(revoked.uri)).body)).getStatus(revoked.idx)).toBe(1)
  }
  stage.line.run()
  expect((await kindsOf(stage, tenantId)).toSorted()).toEqual(KEPT)
  expect(await verified(tenant, revoked)).toMatchObject({ status: 1 })
})

test('signs in as many runs as it needs, and goes on where it was', async () => {
  const tenant = await useTenant()
  const { tenantId, valid, named } = tenant
  const over = { ...startRun(), isOver: () => true }
  const places = [await atHttps(() => signLists(tenantId, over))]
  while (places.at(-1) !== undefined) places.push(await atHttps(() => signLists(tenantId, over, places.at(-1))))
  expect(places).toEqual(['000 00000001', '000 named#mine', undefined])
  for (const one of [valid, named]) expect(await verified(tenant, one)).toMatchObject({ status: 0 })
})
