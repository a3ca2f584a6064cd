/** Handshakes as other vendors' wallets make them. */
import { randomUUID } from 'node:crypto'
import {
  createPeerDidDocumentFromServices,
  DidKey,
  didDocumentJsonToNumAlgo1Did,
  didDocumentToNumAlgo2Did,
  didDocumentToNumAlgo4Did,
  TypedArrayEncoder,
} from '@credo-ts/core'
import { DidCommEnvelopeService, DidCommHandshakeProtocol } from '@credo-ts/didcomm'
import { describe, expect, test } from 'vitest'
import { createTenant, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { type Ed25519Key, keyOfBase58, legacyDocument, RawHandshake, unqualifiedDid } from '../wallet/raw-handshake.ts'
import { RawMessages, type Route } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

const stage = await useStage()
const wallet = await useWallet()
const raw = new RawMessages(wallet)
const handshake = new RawHandshake(wallet, raw)
const caller = await createTenant(stage)

const invite = async (): Promise<Json> => (await stage.call('createRequest', { caller, body: requestBody })).body

const connectionOf = async ({ outOfBandRecord }: Json): Promise<Json> =>
  (await stage.call('getConnections', { caller, query: { outOfBandId: outOfBandRecord.id } })).body[0]

const ping = () => ({
  '@type': 'https://didcomm.org/trust_ping/1.0/ping',
  '@id': randomUUID(),
  response_requested: true,
  '~transport': { return_route: 'all' },
})

/** Messages go both ways, and messages that the agent starts wait until they are fetched. */
const expectReturnRoute = async (request: Json, route: Route) => {
  const { id, state } = await connectionOf(request)
  expect(state).toBe('completed')
  expect(await raw.send(ping(), route)).toMatchObject({ status: 200, message: { '@type': expect.any(String) } })
  const body = { content: 'hello' }
  expect((await stage.call('sendMessage', { caller, path: { connectionId: id }, body })).status).toBe(200)
  // Messages that it started wait until they are fetched (Aries RFC 0685).
  const delivery = { '@type': 'https://didcomm.org/messagepickup/2.0/delivery-request', limit: 10 }
  const { message } = await raw.send({ ...ping(), ...delivery }, route)
  expect(message).toMatchObject({ '~attach': [{ '@id': expect.any(String), data: { json: expect.any(Object) } }] })
}

describe('did-exchange', () => {
  test('the response names the invitation, which ACA-Py repeats in its complete', async () => {
    const request = await invite()
    const senderKey = await handshake.newKey()
    const { message } = await handshake.request(request.invitation, { did: new DidKey(senderKey).did, senderKey })
    expect(message?.['~thread']).toMatchObject({ pthid: request.invitation['@id'] })
  })
})

describe('a wallet without a service, on return route', () => {
  const peerDocument = (key: Ed25519Key) => {
    const services = [{ id: '#didcomm', serviceEndpoint: 'http://localhost', recipientKeys: [key], routingKeys: [] }]
    const { didDocument } = createPeerDidDocumentFromServices(services, false)
    return Object.assign(didDocument, { service: undefined })
  }

  test.each<[string, (key: Ed25519Key) => { did: string; document?: object }]>([
    ['did:key', (key) => ({ did: new DidKey(key).did })],
    ['did:peer:2', (key) => ({ did: didDocumentToNumAlgo2Did(peerDocument(key)) })],
    ['did:peer:4', (key) => ({ did: didDocumentToNumAlgo4Did(peerDocument(key)).longFormDid })],
    [
      'did:peer:1',
      (key) => {
        const { id: _, ...document } = peerDocument(key).toJSON()
        return { did: didDocumentJsonToNumAlgo1Did(document), document }
      },
    ],
  ])('completes with a %s', async (_, own) => {
    const request = await invite()
    const senderKey = await handshake.newKey()
    const { message } = await handshake.request(request.invitation, { ...own(senderKey), senderKey })
    await expectReturnRoute(request, await handshake.complete(message, senderKey))
    expect(await connectionOf(request)).toMatchObject({ theirDid: own(senderKey).did })
  })

  test('completes over connections/1.0', async () => {
    const request = await invite()
    const senderKey = await handshake.newKey()
    const did = unqualifiedDid(senderKey)
    const route = { ...(await raw.routeToDid(request.invitation.services[0])), senderKey }
    const { message } = await raw.send(
      {
        '@type': 'https://didcomm.org/connections/1.0/request',
        '@id': randomUUID(),
        '~thread': { pthid: request.invitation['@id'] },
        '~transport': { return_route: 'all' },
        label: 'Raw',
        connection: { DID: did, DIDDoc: legacyDocument(did, senderKey) },
      },
      route,
    )
    const signed: Json = message?.['connection~sig']
    const { DIDDoc } = JSON.parse(Buffer.from(signed.sig_data, 'base64url').subarray(8).toString())
    // The only one of Aries RFC 0160, and the only one that wallets of Credo 0.5 take.
    expect(DIDDoc['@context']).toBe('https://w3id.org/did/v1')
    const [service] = DIDDoc.service
    const serviceRoute = { ...route, recipientKeys: service.recipientKeys.map(keyOfBase58) }
    await raw.send(ping(), serviceRoute)
    await expectReturnRoute(request, serviceRoute)
  })
})

test('a request of connections/1.0 has the context of Aries RFC 0160', async () => {
  const { outOfBandInvitation } = await wallet.agent.didcomm.oob.createInvitation({
    label: 'Wallet',
    handshakeProtocols: [DidCommHandshakeProtocol.Connections],
  })
  const before = wallet.envelopes.length
  await stage.call('receiveInvitation', { caller, body: { invitation: outOfBandInvitation.toJSON() } })
  const envelope = await waitFor('the request', () => wallet.envelopes[before])
  const envelopes = wallet.agent.dependencyManager.resolve(DidCommEnvelopeService)
  const { plaintextMessage } = await envelopes.unpackMessage(wallet.agent.context, JSON.parse(envelope))
  expect(plaintextMessage).toMatchObject({
    '@type': 'https://didcomm.org/connections/1.0/request',
    connection: { DIDDoc: { '@context': 'https://w3id.org/did/v1' } },
  })
})

describe('an invitation of a wallet with several endpoints', () => {
  const inviteTo = async (endpoints: string[]): Promise<Json> => {
    const { outOfBandInvitation } = await wallet.agent.didcomm.oob.createInvitation({ label: 'Wallet' })
    const invitation: Json = outOfBandInvitation.toJSON()
    const [service] = invitation.services
    const services = endpoints.map((serviceEndpoint, index) => ({
      ...service,
      id: `#inline-${index}`,
      serviceEndpoint,
    }))
    const body = { invitation: { ...invitation, services } }
    return stage.call('receiveInvitation', { caller, body })
  }
  const http = wallet.agent.didcomm.config.endpoints[0] as string
  const webSocket = http.replace('http', 'ws')

  test.each([[[http, webSocket]], [[webSocket, http]]])('is accepted by the HTTP one: %j', async (endpoints) => {
    const { body } = await inviteTo(endpoints)
    const { connectionRecord } = body
    await waitFor('the connection', async () => {
      const path = { connectionId: connectionRecord.id }
      return (await stage.call('getConnectionById', { caller, path })).body.state === 'completed'
    })
  })

  test.each([
    [[webSocket], 0],
    [[http, 'http://10.0.0.1'], 1],
  ])('is rejected where one cannot be used: %j', async (endpoints, index) => {
    expect(await inviteTo(endpoints)).toMatchObject({
      status: 422,
      body: { details: [{ path: `invitation.services.${index}.serviceEndpoint` }] },
    })
  })
})

describe('did-exchange 1.0 with an unqualified DID', () => {
  test.each([
    ['unqualified', (did: string) => did],
    ['did:sov', (did: string) => `did:sov:${did}`],
  ])('completes: %s', async (_, spelled) => {
    const request = await invite()
    const senderKey = await handshake.newKey()
    const did = unqualifiedDid(senderKey)
    const document = legacyDocument(did, senderKey)
    const asked = { did: spelled(did), senderKey, document, version: '1.0' } as const
    const { message } = await handshake.request(request.invitation, asked)
    await expectReturnRoute(request, await handshake.complete(message, senderKey, '1.0'))
  })

  test('completes with a document in base64url, as Credo 0.7 attaches it', async () => {
    const request = await invite()
    const senderKey = await handshake.newKey()
    const did = unqualifiedDid(senderKey)
    const document = { ...(legacyDocument(did, senderKey) as object), note: '??>>~~' }
    const inBase64Url = ({ 'did_doc~attach': attached, ...message }: Json) => {
      const { data } = attached
      const base64 = Buffer.from(data.base64, 'base64').toString('base64url')
      expect(base64).toMatch(/[-_]/)
      return { ...message, 'did_doc~attach': { ...attached, data: { ...data, base64 } } }
    }
    const asked = { did, senderKey, document, version: '1.0', alter: inBase64Url } as const
    const { message } = await handshake.request(request.invitation, asked)
    await expectReturnRoute(request, await handshake.complete(message, senderKey, '1.0'))
  })

  test('is sent messages at the endpoint of its document, through its mediators', async () => {
    const request = await invite()
    const senderKey = await handshake.newKey()
    const did = unqualifiedDid(senderKey)
    const endpoint = `http://127.0.0.1:${new URL(stage.publicUrl).port}/somewhere`
    const [one, other] = [await handshake.newKey(), await handshake.newKey()]
    const routingKeys = [TypedArrayEncoder.toBase58(one.publicKey.publicKey), new DidKey(other).did]
    const document = legacyDocument(did, senderKey, endpoint, routingKeys)
    const { message } = await handshake.request(request.invitation, { did, senderKey, document, version: '1.0' })
    await handshake.complete(message, senderKey, '1.0')
    const { id: connectionId, theirDid } = await connectionOf(request)
    const { didDocument } = (await stage.call('resolveDid', { caller, path: { did: theirDid } })).body
    expect(didDocument.service[0].routingKeys).toEqual(
      [one, other].map(({ fingerprint }) => `did:key:${fingerprint}#${fingerprint}`),
    )
    const body = { content: 'hello' }
    expect((await stage.call('sendMessage', { caller, path: { connectionId }, body })).status).toBe(200)
  })
})
