/** A DID document may name any endpoint: an unusable one is never an internal error. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTenant, offerBody, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import {
  connectionRequest,
  didExchangeRequest,
  peerDidOf,
  peerDidWith,
  type RawKey,
} from '../wallet/handshake-requests.ts'
import { RawHandshake } from '../wallet/raw-handshake.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const stage = await useStage({ delivers: false })
const caller = await createTenant(stage)
const wallet = await useWallet()
const raw = new RawMessages(wallet)
const handshake = new RawHandshake(wallet, raw)

const invite = async (): Promise<Json> => (await stage.call('createRequest', { caller, body: requestBody })).body

/** Asks for a connection, answered by return route, with a DID that has this service. */
const connectWith = async (service: unknown) => {
  const request = await invite()
  const senderKey = await handshake.newKey()
  const did = peerDidWith([senderKey], service).replace('.S', `.V${NO_POINT}.S`)
  const { status } = await handshake.request(request.invitation, { did, senderKey })
  const query = { outOfBandId: request.outOfBandRecord.id }
  const { body } = await stage.call('getConnections', { caller, query })
  return { status, connection: body[0], senderKey }
}

/** A key, as documents of did:peer:2 refer to one. */
const MEDIATOR =
  'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX#z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'

/** A key that is not a point of the curve: nothing can be encrypted for it. */
const NO_POINT = 'z6Mkeb4rtEhc8DUtvt5ehaVjdx3TLbQPpnTArkXhqfb1Mq75'

const QUEUE = 'didcomm:transport/queue'

const SERVICE = { t: 'did-communication', recipientKeys: ['#key-1'], r: [], priority: 0 }

test.each([
  { s: 'ws://127.0.0.1:1' },
  { s: 'file:///etc/passwd' },
  { s: 'nowhere' },
  { s: '' },
  { s: { uri: 'http://127.0.0.1:1' } },
  { s: 'http://127.0.0.1:1', r: ['no key'] },
  { s: 'http://127.0.0.1:1', r: 'none' },
  { s: 'http://127.0.0.1:1', r: ['did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'] },
  { s: 'http://127.0.0.1:1', r: Array(20).fill(MEDIATOR) },
  { s: QUEUE, r: Array(20).fill(MEDIATOR) },
  { s: QUEUE, recipientKeys: ['#key-1', '#key-2'] },
  { s: QUEUE, recipientKeys: Array(17).fill('#key-1') },
])('a wallet at %j is connected, and what is sent to it is a 409', async (where) => {
  const { status, connection, senderKey } = await connectWith({ ...SERVICE, ...where })
  expect(status).toBe(200)
  const path = { connectionId: connection.id }
  expect((await stage.call('sendMessage', { caller, path, body: { content: 'hello' } })).status).toBe(409)
  const offer = offerBody(connection.id, wallet.did)
  expect((await stage.call('createOffer', { caller, body: offer })).status).toBe(409)
  const ping = { '@type': 'https://didcomm.org/trust_ping/1.0/ping', '@id': randomUUID(), response_requested: true }
  const answer = await raw.send(ping, { ...(await raw.routeToDid(connection.did)), senderKey })
  expect(answer.status).toBeLessThan(500)
})

test.each<[string, (invitation: string, key: RawKey) => Json]>([
  ['did-exchange', (invitation, key) => didExchangeRequest(invitation, peerDidOf([key], QUEUE))],
  ['connections', (invitation, key) => connectionRequest(invitation, [key], QUEUE)],
])(
  'a request of %s is a 400 where nothing could take the response: nothing can be fetched without a connection',
  async (_, of) => {
    const request = await invite()
    const senderKey = await raw.newKey()
    const route = { ...(await raw.routeToDid(request.invitationDid)), senderKey }
    expect((await raw.send(of(request.invitation['@id'], senderKey), route)).status).toBe(400)
    const query = { outOfBandId: request.outOfBandRecord.id }
    expect((await stage.call('getConnections', { caller, query })).body).toEqual([])
  },
)

test('a wallet behind 200 mediators costs nothing: a message to it would be larger by a third for each', async () => {
  const request = await invite()
  const key = await raw.newKey()
  const message: Json = connectionRequest(request.invitation['@id'], [key], 'http://127.0.0.1:1')
  const [service] = message.connection.DIDDoc.service
  service.routingKeys = Array(200).fill(service.recipientKeys[0])
  const before = process.memoryUsage().rss
  const answer = await raw.send(message, { ...(await raw.routeToDid(request.invitationDid)), senderKey: key })
  expect(answer.status).toBeLessThan(500)
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
})

test.each([
  {},
  [],
  'x',
  5,
  null,
  { t: 5 },
  { ...SERVICE, s: 5 },
  { ...SERVICE, recipientKeys: 'x' },
  { ...SERVICE, recipientKeys: ['#key-9'] },
])('a DID document with the service %j is our failure in no case', async (service) => {
  expect((await connectWith(service)).status).toBeLessThan(500)
})

test.each([
  'did:peer:2',
  'did:peer:2.Vz6Mkbroken',
  // Credo's pattern would take days for it.
  `did:peer:2.Vz6Mkaaaaa${'SS'.repeat(24)}!`,
  'did:peer:4zQmX:zY',
  'did:web:127.0.0.1%3A1',
  'did:web:agent.invalid',
  'did:jwk:e30',
  'did:key:z',
  'did:example:1',
  'did:',
  'x',
  '',
])('a request with the DID "%s" is a 400', async (did) => {
  const request = await invite()
  expect((await handshake.request(request.invitation, { did, senderKey: await handshake.newKey() })).status).toBe(400)
})
