/** did-rotate: a new DID counts once it has proven itself on the connection, and has no effect before. */
import { randomUUID } from 'node:crypto'
import { createPeerDidDocumentFromServices, didDocumentToNumAlgo4Did, TypedArrayEncoder } from '@credo-ts/core'
import { DidCommEnvelopeService } from '@credo-ts/didcomm'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Connected, connect, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { changesSince, recordsInTable } from '../support/table/records-in-table.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { storeDids } from '../support/wallets/dids-of-key.ts'
import { didExchangeRequest, peerDidOf, peerDidWith, type RawKey } from '../wallet/handshake-requests.ts'
import { RawHandshake } from '../wallet/raw-handshake.ts'
import { headerOf, type RawAnswer, RawMessages, type Route } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

/** A connection of the wallet, fresh for each test. */
let connected: Connected
let route: Route
let newKey: RawKey
let newDid: string

const { stage, caller, wallet } = await useTenantAndWallet()
const raw = new RawMessages(wallet)
beforeEach(async () => {
  connected = await connect(stage, wallet, caller)
  route = await raw.route(connected.walletConnectionId)
  newKey = await new RawHandshake(wallet, raw).newKey()
  newDid = peerDidOf([newKey], endpoint())
})

afterEach(() => {
  vi.useRealTimers()
})

afterAll(async () => {
  expect(await checkTable(stage.client, stage.table)).toEqual([])
})

/** A connection may rotate ten times in an hour. */
const passTime = () => vi.setSystemTime(Date.now() + 7 * 60_000)

const endpoint = (): string => wallet.agent.didcomm.config.endpoints[0] ?? ''
const message = (type: string, more: object = {}): Json => ({
  '@type': `https://didcomm.org/${type}`,
  '@id': randomUUID(),
  '~transport': { return_route: 'all' },
  ...more,
})
const rotate = (did: string): Promise<RawAnswer> => raw.send(message('did-rotate/1.0/rotate', { to_did: did }), route)
const say = (content: string, way: Route): Promise<RawAnswer> =>
  raw.send(message('basicmessage/1.0/message', { content, sent_time: '2026-01-01T00:00:00.000Z' }), way)

const connectionNow = async ({ connectionId } = connected): Promise<Json> =>
  (await stage.call('getConnectionById', { caller, path: { connectionId } })).body
const heard = async ({ connectionId } = connected): Promise<string[]> => {
  const { body } = await stage.call('tenantGetBasicMessages', { caller, path: { ...caller, connectionId } })
  return body.filter(({ role }: Json) => role === 'receiver').map(({ content }: Json) => content)
}
const sendMessage = (content: string, { connectionId } = connected) =>
  stage.call('sendMessage', { caller, path: { connectionId }, body: { content } })

/** To which key of the wallet the agent's next basic message is encrypted; new DIDs are pinged too. */
const keyOfNextMessage = async (): Promise<string> => {
  const content = randomUUID()
  const before = wallet.envelopes.length
  expect((await sendMessage(content)).status).toBe(200)
  const { context, dependencyManager } = wallet.agent
  const envelopes = dependencyManager.resolve(DidCommEnvelopeService)
  return waitFor('the message', async () => {
    for (const envelope of wallet.envelopes.slice(before).map((text) => JSON.parse(text))) {
      const { plaintextMessage } = await envelopes.unpackMessage(context, envelope)
      if (plaintextMessage.content === content) return headerOf(envelope).recipients[0]?.header.kid
    }
  })
}
const nameOf = (key: RawKey | undefined): string =>
  key === undefined ? '' : TypedArrayEncoder.toBase58(key.publicKey.publicKey)

test("Credo's wallet rotates, and both sides go on", async () => {
  const { connections } = wallet.agent.didcomm
  const { theirDid } = await connectionNow()
  await connections.rotate({ connectionId: connected.walletConnectionId })
  await waitFor('the ack', async () => {
    const { did } = await connections.getById(connected.walletConnectionId)
    return did !== theirDid
  })
  await wallet.sendMessage(connected.walletConnectionId, 'with my new DID')
  expect(await heard()).toEqual(['with my new DID'])
  const { did } = await connections.getById(connected.walletConnectionId)
  expect(await connectionNow()).toMatchObject({ theirDid: did, previousTheirDids: [theirDid] })
  await sendMessage('to your new DID')
  await waitFor('the message', async () =>
    (await wallet.messages(connected.walletConnectionId)).some(({ content }) => content === 'to your new DID'),
  )
})

describe('while the new DID is pending', () => {
  beforeEach(async () => {
    const answer = await rotate(newDid)
    expect(answer).toMatchObject({ status: 200, message: { '@type': 'https://didcomm.org/did-rotate/1.0/ack' } })
  })

  test('the old one is heard, and written to', async () => {
    await say('as before', route)
    expect(await heard()).toEqual(['as before'])
    expect(await connectionNow()).toMatchObject({ previousTheirDids: [] })
    expect(await keyOfNextMessage()).toBe(nameOf(route.senderKey))
  })

  test('a message that it authenticates makes it the one that is heard and written to', async () => {
    expect((await say('it is me', { ...route, senderKey: newKey })).status).toBe(200)
    expect(await heard()).toEqual(['it is me'])
    expect(await connectionNow()).toMatchObject({ theirDid: newDid, state: 'completed' })
    expect(await keyOfNextMessage()).toBe(nameOf(newKey))
  })

  test('a message that it authenticates proves nothing on another connection', async () => {
    const other = await connect(stage, wallet, caller)
    const way = { ...(await raw.route(other.walletConnectionId)), senderKey: newKey }
    expect((await say('elsewhere', way)).status).toBe(400)
    expect(await heard(other)).toEqual([])
    expect((await connectionNow()).theirDid).not.toBe(newDid)
  })

  test('its owner connects with it, and each connection is heard for itself', async () => {
    const { body: request } = await stage.call('createRequest', { caller, body: requestBody })
    const invitation = request.outOfBandRecord.outOfBandInvitation['@id']
    const way = { ...(await raw.routeToDid(request.invitationDid)), senderKey: newKey }
    expect((await raw.send(didExchangeRequest(invitation, newDid), way)).status).toBe(200)
    const { body: found } = await stage.call('getConnections', {
      caller,
      query: { outOfBandId: request.outOfBandRecord.id },
    })
    expect(found).toMatchObject([{ theirDid: newDid, state: 'response-sent' }])
    const [{ id: connectionId, did }] = found
    await say('on mine', { ...(await raw.routeToDid(did)), senderKey: newKey })
    expect(await heard({ ...connected, connectionId })).toEqual(['on mine'])
    await say('on the first', route)
    expect(await heard()).toEqual(['on the first'])
    expect((await connectionNow()).theirDid).not.toBe(newDid)
  })

  test('another rotation takes its place', async () => {
    const newest = await raw.newKey()
    await rotate(peerDidOf([newest], endpoint()))
    expect((await say('too late', { ...route, senderKey: newKey })).status).toBe(400)
    expect((await say('it is me', { ...route, senderKey: newest })).status).toBe(200)
    expect(await heard()).toEqual(['it is me'])
  })

  test('a rotation to the DID in use takes it back', async () => {
    await rotate((await connectionNow()).theirDid)
    expect((await say('too late', { ...route, senderKey: newKey })).status).toBe(400)
    expect((await connectionNow()).metadata).toEqual({})
  })
})

describe('once the new DID has proven itself, the old one', () => {
  beforeEach(async () => {
    await rotate(newDid)
    await say('it is me', { ...route, senderKey: newKey })
  })

  test('is still heard, for what was on its way', async () => {
    await say('sent before', route)
    expect(await heard()).toEqual(['it is me', 'sent before'])
  })

  test.each(['did-rotate/1.0/rotate', 'did-rotate/1.0/hangup'])('cannot send %s', async (type) => {
    const before = await recordsInTable(stage)
    const to_did = peerDidOf([await raw.newKey()], endpoint())
    expect((await raw.send(message(type, { to_did }), route)).status).toBe(400)
    expect(changesSince(before, await recordsInTable(stage))).toEqual([])
  })

  test('cannot give the connection up', async () => {
    const report = message('didexchange/1.1/problem-report', { description: { code: 'no' } })
    expect((await raw.send(report, route)).status).toBe(200)
    expect((await connectionNow()).state).toBe('completed')
  })
})

describe("a rotation to another's DID", () => {
  let victim: Connected
  beforeEach(async () => {
    victim = await connect(stage, wallet, caller)
    await rotate((await connectionNow(victim)).theirDid)
  })

  test('gains nothing, and leaves the other connection as it was', async () => {
    const victims = await raw.route(victim.walletConnectionId)
    await say('still me', victims)
    expect(await heard(victim)).toEqual(['still me'])
    expect((await say('me too?', { ...route, recipientKeys: victims.recipientKeys })).status).toBe(400)
    expect(await heard(victim)).toEqual(['still me'])
    await say('on my own', route)
    expect(await heard()).toEqual(['on my own'])
    expect(await keyOfNextMessage()).toBe(nameOf(route.senderKey))
  })
})

test('a wallet that rotates again and again keeps a connection that is as small as before', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const former: string[] = []
  let sender = route
  for (let rotation = 0; rotation < 8; rotation++) {
    passTime()
    former.push((await connectionNow()).theirDid)
    const key = await raw.newKey()
    // Almost as long as a DID may be.
    const did = peerDidOf([key], `${endpoint()}/${'long'.repeat(650)}${rotation}`)
    expect(await raw.send(message('did-rotate/1.0/rotate', { to_did: did }), sender)).toMatchObject({ status: 200 })
    sender = { ...route, senderKey: key }
    expect(await say(`after rotation ${rotation}`, sender)).toMatchObject({ status: 200 })
  }
  expect((await connectionNow()).previousTheirDids).toEqual(former.slice(-5))
  expect(await heard()).toHaveLength(8)
})

test('a key that has stated fifty DIDs becomes the key of no other one', async () => {
  const key = await raw.newKey()
  const didOf = (number: number): string => peerDidOf([key], `${endpoint()}/${number}`)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  let sender = route
  await storeDids(caller, key, 48)
  for (const number of [48, 49]) {
    passTime()
    await raw.send(message('did-rotate/1.0/rotate', { to_did: didOf(number) }), sender)
    sender = { ...route, senderKey: key }
    expect(await say('with another DID', sender)).toMatchObject({ status: 200 })
  }
  passTime()
  await raw.send(message('did-rotate/1.0/rotate', { to_did: didOf(50) }), sender)
  expect(await say('with one more', sender)).toMatchObject({ status: 400 })
  expect(await connectionNow()).toMatchObject({ theirDid: didOf(49) })

  const { body } = await stage.call('createInvitation', { caller, body: { multiUseInvitation: true } })
  const { '@id': id, services } = body.invitation
  const toInviter = { ...(await raw.routeToDid(services[0])), senderKey: key }
  expect(await raw.send(didExchangeRequest(id, didOf(51)), toInviter)).toMatchObject({ status: 400 })
  expect(await raw.send(didExchangeRequest(id, didOf(49)), toInviter)).toMatchObject({ status: 200 })
})

test('a rotation is of no effect without the DID in use', async () => {
  const { senderKey, ...anonymous } = route
  const request = message('did-rotate/1.0/rotate', { to_did: newDid })
  const before = await recordsInTable(stage)
  expect((await raw.send(request, anonymous)).status).toBe(400)
  expect((await raw.send(request, { ...anonymous, senderKey: newKey })).status).toBe(400)
  expect((await raw.send(message('did-rotate/1.0/hangup'), { ...anonymous, senderKey: newKey })).status).toBe(400)
  expect((await raw.send(message('did-rotate/1.0/hangup'), anonymous)).status).toBe(400)
  expect(changesSince(before, await recordsInTable(stage))).toEqual([])
  expect(senderKey).toBeDefined()
})

test.each([
  ['did:example:123', 'e.did.method_unsupported'],
  ['did:peer:2.Vz6Mkbroken', 'e.did.unresolvable'],
  ['did:peer:1zQmZMygzYqNwU6Uhmewx5Xepf2VLp5S4HLSwwgf2aiKZuwa', 'e.did.unresolvable'],
  ['not a DID', 'e.did.unresolvable'],
  // Credo's pattern would take days for it.
  [`did:peer:2.Vz6Mkaaaaa${'SS'.repeat(24)}!`, 'e.did.unresolvable'],
  ['did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX', 'e.did.doc_unsupported'],
])('a rotation to %s is rejected as %s', async (did, code) => {
  const before = await connectionNow()
  const answer = await rotate(did)
  expect(answer).toMatchObject({
    status: 200,
    message: { '@type': 'https://didcomm.org/did-rotate/1.0/problem-report', description: { code } },
  })
  // RFC 0794 has the rotation as the parent thread, ACA-Py as the thread.
  const { thid, pthid } = (answer.message as Json)['~thread']
  expect(thid).toMatch(/./)
  expect(pthid).toBe(thid)
  expect(await connectionNow()).toEqual(before)
})

test.each(['?x=1', '#key-1', '/a', ';a'])('a rotation to a DID URL with %s is refused', async (end) => {
  const before = await connectionNow()
  const key = await raw.newKey()
  const service = { id: '#didcomm', serviceEndpoint: endpoint(), recipientKeys: [key], routingKeys: [] }
  const { longFormDid } = didDocumentToNumAlgo4Did(createPeerDidDocumentFromServices([service], false).didDocument)
  for (const did of [longFormDid, newDid])
    expect((await rotate(`${did}${end}`)).message).toMatchObject({ description: { code: 'e.did.unresolvable' } })
  expect(await connectionNow()).toEqual(before)
})

test('a rotation to a DID with more keys than a message may have recipients is rejected', async () => {
  const keys = await Promise.all(Array.from({ length: 18 }, () => raw.newKey()))
  const serviceOf = (from: number) => ({
    ...{ t: 'did-communication', s: endpoint(), r: [], priority: from },
    recipientKeys: keys.slice(from, from + 9).map((_, n) => `#key-${from + n + 1}`),
  })
  expect(await rotate(peerDidWith(keys, [serviceOf(0), serviceOf(9)]))).toMatchObject({
    status: 200,
    message: { description: { code: 'e.did.doc_unsupported' } },
  })
  expect((await connectionNow()).metadata).toEqual({})
})

describe('a hangup', () => {
  test('ends its own connection, also when it is repeated, and a message to it is a 409', async () => {
    await rotate(newDid)
    expect((await raw.send(message('did-rotate/1.0/hangup'), route)).status).toBe(200)
    expect((await raw.send(message('did-rotate/1.0/hangup'), route)).status).toBe(200)
    expect((await connectionNow()).theirDid).toBeUndefined()
    expect((await sendMessage('anybody there?')).status).toBe(409)
    expect((await say('back again', { ...route, senderKey: newKey })).status).toBe(400)
  })
})
