/** A new DID is pinged once, in a lane of its own (Aries RFC 0794): its answer completes the rotation, and until then nothing else is sent to it. */
import { randomUUID } from 'node:crypto'
import { DidCommEnvelopeService } from '@credo-ts/didcomm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connect, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { connectTenants, settled, succeed } from '../support/tenants.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { peerDidOf, peerDidWith, type RawKey } from '../wallet/handshake-requests.ts'
import { HttpEndpoint } from '../wallet/http-endpoint.ts'
import { RawHandshake } from '../wallet/raw-handshake.ts'
import { RawMessages, type Route } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

const { stage, caller, wallet } = await useTenantAndWallet()
const raw = new RawMessages(wallet)
const handshake = new RawHandshake(wallet, raw)

/** An endpoint that takes everything, and answers nothing but the HTTP request. */
const listen = async (handle = async () => {}): Promise<HttpEndpoint> => {
  const endpoint = await HttpEndpoint.listen(handle)
  await stopAtEnd(Promise.resolve({ stop: () => endpoint.pause() }))
  return endpoint
}

/** The messages that came to an endpoint, opened. */
const messagesAt = async ({ envelopes }: HttpEndpoint): Promise<Json[]> => {
  const service = wallet.agent.dependencyManager.resolve(DidCommEnvelopeService)
  const opened = envelopes.map((envelope) => service.unpackMessage(wallet.agent.context, JSON.parse(envelope)))
  return (await Promise.all(opened)).map(({ plaintextMessage }) => plaintextMessage)
}
const typesAt = async (endpoint: HttpEndpoint): Promise<string[]> =>
  (await messagesAt(endpoint)).map((message) => message['@type'].replace('https://didcomm.org/', ''))
const contentsAt = async (endpoint: HttpEndpoint): Promise<string[]> =>
  (await messagesAt(endpoint)).map(({ content }) => content).filter((content) => content !== undefined)

const PING = 'trust_ping/1.0/ping'
const ACK = 'https://didcomm.org/did-rotate/1.0/ack'
const RETURN = { '~transport': { return_route: 'all' } }
const MINUTES = 60_000

/** The mediators that the wallet had, and that it changes to. */
let prior: HttpEndpoint
let next: HttpEndpoint
let connectionId: string
let route: Route
let newKey: RawKey

beforeEach(async () => {
  prior = await listen()
  next = await listen()
  const { body: request } = await stage.call('createRequest', { caller, body: requestBody })
  const senderKey = await handshake.newKey()
  const { message } = await handshake.request(request.invitation, { did: peerDidOf([senderKey], prior.url), senderKey })
  const { answer: _, ...way } = await handshake.complete(message, senderKey)
  route = way
  const query = { outOfBandId: request.outOfBandRecord.id }
  const [connection] = (await stage.call('getConnections', { caller, query })).body
  connectionId = connection.id
  newKey = await handshake.newKey()
})
afterEach(() => {
  vi.useRealTimers()
})

const connectionNow = async (): Promise<Json> => succeed(stage, 'getConnectionById', caller, { path: { connectionId } })
const rotateTo = (to_did: string, more: object = RETURN) =>
  raw.send({ ...didCommMessage('did-rotate/1.0/rotate'), to_did, ...more }, route)
const send = (content: string) => succeed(stage, 'sendMessage', caller, { path: { connectionId }, body: { content } })
const deliveryOf = async ({ id }: Json): Promise<string> => {
  const messages = await succeed(stage, 'getBasicMessages', caller, { path: { connectionId } })
  return messages.find((one: Json) => one.id === id).metadata['_agent/delivery'].state
}
const pingAt = (endpoint: HttpEndpoint): Promise<Json> =>
  waitFor('the ping', async () => (await messagesAt(endpoint)).find((message) => message['@type'].endsWith(PING)))
/** From the new DID. */
const answer = async (ping: Json) =>
  raw.send(didCommMessage('trust_ping/1.0/ping_response', { thid: ping['@id'] }), { ...route, senderKey: newKey })

test('a wallet that has left its mediator hears from us at the new one, in spite of what waits for the old one', async () => {
  await prior.pause()
  const newDid = peerDidOf([newKey], next.url)
  // The ack waits too.
  expect(await rotateTo(newDid, {})).toMatchObject({ status: 200, body: '' })
  const ping = await pingAt(next)
  expect(ping).toMatchObject({ response_requested: true })
  expect(ping).not.toHaveProperty('~transport')
  const early = await send('before the answer')
  await settled(stage)
  expect(await typesAt(next)).toEqual([PING])

  expect((await answer(ping)).status).toBe(200)
  expect(await connectionNow()).toMatchObject({ theirDid: newDid, state: 'completed' })
  const late = [await send('one'), await send('two'), await send('three')]
  await waitFor('the messages', async () => (await contentsAt(next)).length === 3)
  expect(await contentsAt(next)).toEqual(['one', 'two', 'three'])
  for (const message of late) await waitFor('its outcome', async () => (await deliveryOf(message)) === 'delivered')
  expect(await deliveryOf(early)).toBe('pending')

  // What was packed for the prior DID goes to it alone, in its order.
  await prior.resume()
  await waitFor('what waited', async () => (await contentsAt(prior)).length === 1)
  expect(await typesAt(prior)).toEqual(['did-rotate/1.0/ack', 'basicmessage/1.0/message'])
  expect(await contentsAt(prior)).toEqual(['before the answer'])
  expect(await contentsAt(next)).toEqual(['one', 'two', 'three'])
})

test('a wallet that rotates back to its first DID gets what waited for it in order', async () => {
  const first = await connectionNow()
  const way = route
  await prior.pause()
  await send('one')
  await rotateTo(peerDidOf([newKey], next.url))
  await answer(await pingAt(next))
  route = { ...way, senderKey: newKey }
  newKey = way.senderKey ?? newKey
  expect(await rotateTo(first.theirDid)).toMatchObject({ message: { '@type': ACK } })
  expect((await answer({ '@id': randomUUID() })).status).toBe(200)
  expect((await connectionNow()).theirDid).toBe(first.theirDid)
  await send('two')
  await settled(stage)
  await prior.resume()
  await waitFor('the messages', async () => (await contentsAt(prior)).length === 2)
  expect(await contentsAt(prior)).toEqual(['one', 'two'])
})

test('a DID that never answers gets one ping, and the connection stays with the prior one', async () => {
  const { theirDid } = await connectionNow()
  await rotateTo(peerDidOf([newKey], next.url))
  await pingAt(next)
  await send('to the prior one')
  await waitFor('the message', async () => (await contentsAt(prior)).length === 1)
  expect(await typesAt(next)).toEqual([PING])
  expect((await connectionNow()).theirDid).toBe(theirDid)
})

/** The ping was sent, and was accepted or not. */
const pinged = (did: string, id = connectionId) =>
  waitFor('the attempt', async () => {
    const { queryAll } = await import('../../lib/store/table.ts')
    const { messageLane } = await import('../../lib/outbox/wake-ups/keys.ts')
    const { digest } = await import('../../lib/store/keys.ts')
    const waiting = await queryAll(messageLane(caller.tenantId ?? '', id, digest(did)))
    return waiting.every(({ attempts }) => Number(attempts?.N) > 0)
  })

test('our own DID of the connection is not the DID of the other agent, although our ping comes from its key', async () => {
  const { did, theirDid } = await connectionNow()
  await rotateTo(did)
  await pinged(did)
  expect((await connectionNow()).theirDid).toBe(theirDid)
  await send('to the prior one')
  await waitFor('the message', async () => (await contentsAt(prior)).length === 1)
  expect(await succeed(stage, 'getBasicMessages', caller, { path: { connectionId } })).toHaveLength(1)
})

test('two connections are not moved to our own DID of the other one, although our pings come from their keys', async () => {
  const one = { ...(await connectionNow()), route }
  const { body: request } = await stage.call('createRequest', { caller, body: requestBody })
  const senderKey = await handshake.newKey()
  const { message } = await handshake.request(request.invitation, { did: peerDidOf([senderKey], prior.url), senderKey })
  const { answer: _, ...way } = await handshake.complete(message, senderKey)
  const query = { outOfBandId: request.outOfBandRecord.id }
  const [other] = (await stage.call('getConnections', { caller, query })).body
  await rotateTo(other.did)
  route = way
  await rotateTo(one.did)
  await pinged(other.did, one.id)
  await pinged(one.did, other.id)
  for (const { id, theirDid } of [one, other])
    expect(await succeed(stage, 'getConnectionById', caller, { path: { connectionId: id } })).toMatchObject({
      theirDid,
    })
})

test('a DID with an unreachable endpoint holds back nothing', async () => {
  await next.pause()
  expect(await rotateTo(peerDidOf([newKey], next.url))).toMatchObject({ message: { '@type': ACK } })
  await send('to the prior one')
  await waitFor('the message', async () => (await contentsAt(prior)).length === 1)
})

test('a DID without an endpoint is not pinged: it completes the rotation as it fetches its messages', async () => {
  const newDid = peerDidOf([newKey], 'didcomm:transport/queue')
  expect(await rotateTo(newDid)).toMatchObject({ message: { '@type': ACK } })
  const fetch = { ...didCommMessage('messagepickup/2.0/status-request'), ...RETURN }
  expect(await raw.send(fetch, { ...route, senderKey: newKey })).toMatchObject({ message: { message_count: 0 } })
  expect((await connectionNow()).theirDid).toBe(newDid)
})

test.each<[string, string | { s: unknown; r?: unknown }]>([
  ['the address guard rejects', 'http://169.254.169.254/latest'],
  ['is a local name', 'http://intranet/'],
  [
    'is behind 20 mediators',
    {
      s: 'http://127.0.0.1:1',
      r: Array(20).fill(
        'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX#z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX',
      ),
    },
  ],
  ['has a mediator without a key', { s: 'http://127.0.0.1:1', r: ['no key'] }],
])('a DID whose endpoint %s is rejected, and changes nothing', async (_, where) => {
  const before = await connectionNow()
  const service = { t: 'did-communication', recipientKeys: ['#key-1'], r: [], priority: 0 }
  const did = typeof where === 'string' ? peerDidOf([newKey], where) : peerDidWith([newKey], { ...service, ...where })
  expect(await rotateTo(did)).toMatchObject({
    status: 200,
    message: {
      '@type': 'https://didcomm.org/did-rotate/1.0/problem-report',
      description: { code: 'e.did.doc_unsupported' },
    },
  })
  expect(await connectionNow()).toEqual(before)
  expect((await answer({ '@id': randomUUID() })).status).toBe(400)
})

test("the DID of another connection is pinged at its own endpoint, with this connection's key, which its wallet does not answer", async () => {
  const victim = await connect(stage, wallet, caller)
  const { theirDid } = await succeed(stage, 'getConnectionById', caller, {
    path: { connectionId: victim.connectionId },
  })
  const own = await connectionNow()
  expect(await rotateTo(theirDid)).toMatchObject({ message: { '@type': ACK } })
  await settled(stage)
  expect((await connectionNow()).theirDid).toBe(own.theirDid)
  await send('still to me')
  await waitFor('the message', async () => (await contentsAt(prior)).length === 1)
  const ofVictim = { connectionId: victim.connectionId }
  await succeed(stage, 'sendMessage', caller, { path: ofVictim, body: { content: 'hello' } })
  await waitFor('the message', async () =>
    (await wallet.messages(victim.walletConnectionId)).some(({ content }) => content === 'hello'),
  )
})

test('twelve rotations in a row make ten pings; an hour later there may be more', async () => {
  // The clock stands still.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const answers: string[] = []
  let accepted = ''
  for (let rotation = 0; rotation < 12; rotation++) {
    const did = peerDidOf([newKey], `${next.url}/${rotation}`)
    const { status, message } = await rotateTo(did)
    expect(status).toBe(200)
    if (message?.['@type'] === ACK) accepted = did
    answers.push(message?.['@type'] === ACK ? 'ack' : String(Object(message?.description).code))
  }
  expect(answers).toEqual([...Array(10).fill('ack'), ...Array(2).fill('e.did.too_many_rotations')])
  vi.setSystemTime(Date.now() + MINUTES)
  await waitFor('the pings', () => next.envelopes.length >= 10)
  await settled(stage)
  expect(next.envelopes).toHaveLength(10)

  // Back to the DID in use is not a rotation to another DID.
  expect(await rotateTo((await connectionNow()).theirDid)).toMatchObject({ message: { '@type': ACK } })
  expect((await answer({ '@id': randomUUID() })).status).toBe(400)
  expect(await rotateTo(accepted)).toMatchObject({ message: { description: { code: 'e.did.too_many_rotations' } } })
  vi.setSystemTime(Date.now() + 61 * MINUTES)
  expect(await rotateTo(accepted)).toMatchObject({ message: { '@type': ACK } })
  expect((await answer({ '@id': randomUUID() })).status).toBe(200)
  expect(await connectionNow()).toMatchObject({ theirDid: accepted, metadata: {} })
})

test('two agents of this service that rotate concurrently continue with their new DIDs', async () => {
  await import('../../lib/agent/compose.ts')
  const { currentAgent } = await import('../../lib/agent/credo/current.ts')
  const { transaction } = await import('../../lib/store/transaction.ts')
  const { body: other } = await stage.call('createTenant', { body: { config: { label: 'Globex' } } })
  const { inviters, invitees } = await connectTenants(stage, caller, { tenantId: other.id })
  const sides = [
    { tenantId: caller.tenantId ?? '', id: inviters.id },
    { tenantId: other.id, id: invitees.id },
  ]
  await stage.line.pause()
  for (const { tenantId, id } of sides)
    await transaction(tenantId, async () => {
      await (await currentAgent()).didcomm.connections.rotate({ connectionId: id })
    })
  stage.line.run()
  const connectionAt = ({ tenantId, id }: { tenantId: string; id: string }) =>
    succeed(stage, 'getConnectionById', { tenantId }, { path: { connectionId: id } })
  const [ours, theirs] = await waitFor('both rotations', async () => {
    const both = await Promise.all(sides.map(connectionAt))
    return (
      both.every(({ did, theirDid }, at) => did !== [inviters, invitees][at].did && theirDid === both[1 - at].did) &&
      both
    )
  })
  expect(ours).toMatchObject({ previousDids: [inviters.did], previousTheirDids: [inviters.theirDid] })
  expect(theirs).toMatchObject({ previousDids: [invitees.did], previousTheirDids: [invitees.theirDid] })
  for (const { tenantId, id } of sides)
    await succeed(stage, 'sendMessage', { tenantId }, { path: { connectionId: id }, body: { content: 'go on' } })
  await waitFor('a message on each side', async () => {
    const lists = sides.map(({ tenantId, id }) =>
      succeed(stage, 'getBasicMessages', { tenantId }, { path: { connectionId: id } }),
    )
    return (await Promise.all(lists)).every((list) => list.some(({ role }: Json) => role === 'receiver'))
  })
})
