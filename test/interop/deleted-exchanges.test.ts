/** Exchanges between two tenants that one of them deletes: what remains, what the other one hears, and the event. */
import { beforeAll, describe, expect, test } from 'vitest'
import { anonCredsRequest, createTenant, offerBody, requestBody } from '../support/scenes.ts'
import type { Json, OperationName } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { itemsOf, textsOf } from '../support/table/items.ts'
import { connectTenants, settled, succeed } from '../support/tenants.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { OrganizationEndpoints, trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'

interface Tenant {
  tenantId: string
}

const SUBJECT = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'
const NEVER = { autoAcceptCredential: 'never' }

const tokens = await trustIssuer()
const stage = await useStage({ delivers: false })
const receiver = await stopAtEnd(startFaultyReceiver())
const issuer: Tenant = await createTenant(stage, 'Issuer')
const holder: Tenant = await createTenant(stage, 'Holder')
const endpoints = await OrganizationEndpoints.register({ stage, receiver, issuer: tokens }, issuer.tenantId)
stage.line.run()
let connectionId: string
beforeAll(async () => {
  connectionId = (await connectTenants(stage, issuer, holder)).connectionId
})

const ID = { Credential: 'credentialRecordId', Proof: 'proofRecordId' } as const
type Kind = keyof typeof ID

const remove = (kind: Kind, caller: Tenant, id: string, query: Record<string, string> = {}) =>
  stage.call(`delete${kind}`, { caller, path: { [ID[kind]]: id }, query })

const read = (kind: Kind, caller: Tenant, id: string, operation: OperationName = `get${kind}ById`) =>
  stage.call(operation, { caller, path: { [ID[kind]]: id } })

const exchangeIn = (kind: Kind, caller: Tenant, threadId: string, state: string): Promise<Json> =>
  waitFor(`the exchange to be ${state}`, async () => {
    const [found] = (await stage.call(`get${kind}s`, { caller, query: { threadId } })).body
    return found?.state === state && found
  })

const offerOn = (more: object = {}, of = connectionId) =>
  succeed(stage, 'createOffer', issuer, { body: { ...offerBody(of, SUBJECT), ...more } })

/** Kinds of the tenant's items that name the exchange. */
const remains = async ({ tenantId }: Tenant, id: string): Promise<(string | undefined)[]> =>
  (await itemsOf(stage, `${tenantId}|`))
    .filter((item) => textsOf(item).some((text) => text.includes(id)))
    .map(({ kind }) => kind?.S)

test('a finished exchange is deleted with its messages, the held credential stays, and the event has no content', async () => {
  const { id, threadId } = await offerOn()
  const { id: credentialRecordId } = await exchangeIn('Credential', holder, threadId, 'offer-received')
  await succeed(stage, 'acceptCredentialOffer', holder, { body: { credentialRecordId } })
  await exchangeIn('Credential', issuer, threadId, 'done')
  const held = await exchangeIn('Credential', holder, threadId, 'done')
  for (const [caller, own] of [[issuer, id] as const, [holder, held.id] as const]) {
    expect(await remove('Credential', caller, own)).toMatchObject({ status: 204, body: undefined })
    expect((await read('Credential', caller, own)).status).toBe(404)
    expect((await read('Credential', caller, own, 'getCredentialFormData')).status).toBe(404)
    expect((await stage.call('getCredentials', { caller, query: { threadId } })).body).toEqual([])
    expect((await remove('Credential', caller, own)).status).toBe(404)
    expect(await remains(caller, own)).toEqual(['deleted-record'])
  }
  const path = { w3cCredentialRecordId: held.credentials[0].credentialRecordId }
  expect((await stage.call('getW3cCredentialById', { caller: holder, path })).status).toBe(200)
  await settled(stage)
  for (const kind of ['webhook', 'notification'] as const) {
    const story = endpoints.heard(kind).filter(({ recordId }) => recordId === id)
    const [before, last] = story.slice(-2)
    expect(last).toMatchObject({ type: 'credential.deleted', sequence: (before?.sequence ?? 0) + 1 })
    expect(last?.body.data.record).toEqual({ id, state: 'done', ...(kind === 'webhook' && { by: 'call' }) })
  }
})

describe.each([
  ['v2', requestBody],
  ['v1', { protocolVersion: 'v1', proofFormats: { indy: anonCredsRequest } }],
])('an open proof of %s', (_version, body) => {
  const request = async (of = connectionId): Promise<Json> => {
    const { id, threadId } = await succeed(stage, 'requestProof', issuer, { body: { ...body, connectionId: of } })
    return { id, held: await exchangeIn('Proof', holder, threadId, 'request-received'), threadId }
  }

  test('is a 409, and stays', async () => {
    const { id } = await request()
    const message = 'the exchange is open, its state is request-sent: it can be abandoned'
    for (const query of [{}, { abandon: 'false' }])
      expect(await remove('Proof', issuer, id, query)).toMatchObject({ status: 409, body: { message } })
    expect((await remove('Proof', issuer, id, { abandon: 'yes' })).status).toBe(400)
    expect((await read('Proof', issuer, id)).body).toMatchObject({ state: 'request-sent' })
  })

  test.each(['verifier', 'prover'])('is abandoned by its %s, and the other one is told', async (by) => {
    const { id, held, threadId } = await request()
    const [own, other] = [[issuer, id] as const, [holder, held.id] as const]
    const [[caller, deleted], [peer]] = by === 'verifier' ? [own, other] : [other, own]
    expect((await remove('Proof', caller, deleted, { abandon: 'true' })).status).toBe(204)
    expect((await read('Proof', caller, deleted)).status).toBe(404)
    const told = await exchangeIn('Proof', peer, threadId, 'abandoned')
    expect(told.errorMessage).toBe('abandoned: the exchange was abandoned')
    await settled(stage)
    expect(await remains(caller, deleted)).toEqual(['deleted-record'])
  })
})

test.each(['issuer', 'holder'])('an open credential is abandoned by its %s, and the other one is told', async (by) => {
  const { id, threadId } = await offerOn(NEVER)
  const { id: credentialRecordId } = await exchangeIn('Credential', holder, threadId, 'offer-received')
  await succeed(stage, 'acceptCredentialOffer', holder, { body: { credentialRecordId } })
  await exchangeIn('Credential', issuer, threadId, 'request-received')
  const [caller, own, peer] = by === 'issuer' ? [issuer, id, holder] : [holder, credentialRecordId, issuer]
  expect((await remove('Credential', caller, own)).status).toBe(409)
  expect((await remove('Credential', caller, own, { abandon: 'true' })).status).toBe(204)
  const { errorMessage } = await exchangeIn('Credential', peer, threadId, 'abandoned')
  expect(errorMessage).toBe('issuance-abandoned: the exchange was abandoned')
})

test('without a connection, both sides are told by the addresses in their messages', async () => {
  const { connectionId: _, ...offer } = offerBody('', SUBJECT)
  const body = { ...offer, ...NEVER, handshake: false }
  for (const by of ['holder', 'holder that has requested', 'issuer', 'issuer without a response']) {
    const offered = await succeed(stage, 'createOfferOob', issuer, { body })
    const threadId = offered.credentialRequestThId
    const id = (await exchangeIn('Credential', issuer, threadId, 'offer-sent')).id
    await succeed(stage, 'receiveInvitation', holder, { body: { invitation: offered.invitation } })
    const { id: credentialRecordId } = await exchangeIn('Credential', holder, threadId, 'offer-received')
    if (by === 'holder that has requested' || by === 'issuer') {
      await succeed(stage, 'acceptCredentialOffer', holder, { body: { credentialRecordId } })
      await exchangeIn('Credential', issuer, threadId, 'request-received')
    }
    const [caller, own, peer] = by.startsWith('issuer') ? [issuer, id, holder] : [holder, credentialRecordId, issuer]
    expect((await remove('Credential', caller, own, { abandon: 'true' })).status, by).toBe(204)
    const state = by === 'issuer without a response' ? 'offer-received' : 'abandoned'
    await exchangeIn('Credential', peer, threadId, state)
  }
})

test('on a connection that was deleted or has ended, it is deleted without a report', async () => {
  const guest = await createTenant(stage, 'Guest')
  const { inviters, invitees } = await connectTenants(stage, issuer, guest)
  const offered = [await offerOn({}, inviters.id), await offerOn({}, inviters.id)]
  const received = await Promise.all(
    offered.map(({ threadId }) => exchangeIn('Credential', guest, threadId, 'offer-received')),
  )
  await succeed(stage, 'deleteConnection', issuer, { path: { connectionId: inviters.id } })
  await settled(stage)
  expect(
    (await stage.call('getConnectionById', { caller: guest, path: { connectionId: invitees.id } })).body,
  ).toMatchObject({ state: 'abandoned' })
  for (const { id } of offered) expect((await remove('Credential', issuer, id, { abandon: 'true' })).status).toBe(204)
  for (const { id } of received) expect((await remove('Credential', guest, id, { abandon: 'true' })).status).toBe(204)
})
