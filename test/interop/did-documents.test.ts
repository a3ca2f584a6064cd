/** DID documents of other hosts, as DID Core allows them and other implementations write them: resolved, used to verify, used to connect. */
import { didDocumentJsonToNumAlgo1Did, TypedArrayEncoder } from '@credo-ts/core'
import { describe, expect, test, vi } from 'vitest'
import { createTenant, offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { connectTenants, inviteToConnect, settled, succeed } from '../support/tenants.ts'
import type { RawKey } from '../wallet/handshake-requests.ts'
import { legacyDocument, RawHandshake, unqualifiedDid } from '../wallet/raw-handshake.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

/** Documents by their addresses, or a status in place of one. */
const { served } = vi.hoisted(() => ({ served: new Map<string, unknown>() }))

vi.mock('../../lib/egress/post.ts', async (original) => ({
  ...(await original<object>()),
  get: async ({ url }: { url: string }) => {
    const document = served.get(url) ?? 404
    const status = typeof document === 'number' ? document : 200
    const body = typeof document === 'string' ? document : JSON.stringify(document)
    return { status, headers: {}, body, milliseconds: 1 }
  },
}))

const stage = await useStage()
const caller = await createTenant(stage, 'Caller')
const addressOf = (did: string) => `https://${did.slice('did:web:'.length)}/.well-known/did.json`
const resolve = (did: string) => stage.call('resolveDid', { caller, path: { did } })

/** As other implementations publish them: contexts with objects, methods without a controller, nulls, unchecked members. */
const oddDocument = (did: string, publicKeyBase58: string, more: object = {}) => ({
  '@context': ['https://www.w3.org/ns/did/v1', { '@base': 'did:web:other.example', '@vocab': 'https://a.example/#' }],
  ...{ id: did, alsoKnownAs: null, controller: null, capabilityInvocation: 'none' },
  verificationMethod: [
    { id: '#other', type: 'Bls12381G2Key2020' },
    { id: `${did}#key`, type: 'Ed25519VerificationKey2018', publicKeyBase58, publicKeyMultibase: null },
  ],
  ...{ authentication: [`${did}#key`], assertionMethod: [`${did}#key`] },
  service: [
    { id: '#domains', type: ['LinkedDomains'], serviceEndpoint: null },
    {
      ...{ id: '#didcomm', type: 'did-communication', recipientKeys: [`${did}#key`], routingKeys: null },
      serviceEndpoint: 'http://127.0.0.1:1',
    },
  ],
  ...more,
})

const base58Of = ({ publicKey }: RawKey): string => TypedArrayEncoder.toBase58(publicKey.publicKey)

describe('a document is resolved', () => {
  const did = 'did:web:shown.example'

  test('unchanged, also from the cache', async () => {
    const document = oddDocument(did, 'CLReWocnAdCmoZwQQQ27i7hKFiUQikdLmbvzuAYEWJG')
    served.set(addressOf(did), document)
    for (const _ of ['read', 'cached'])
      expect(await resolve(did)).toMatchObject({
        status: 200,
        body: { didDocument: expect.toSatisfy(isSame(document)) },
      })
  })

  const isSame = (document: object) => (shown: unknown) => JSON.stringify(shown) === JSON.stringify(document)

  test.each<[string, unknown]>([
    ['id', {}],
    ['authentication', { id: 'did:web:bad.example', authentication: {} }],
    [
      'service.0.recipientKeys',
      { id: 'did:web:bad.example', service: [{ type: 'IndyAgent', serviceEndpoint: 'a:b' }] },
    ],
  ])('or is a 422 that names %s', async (member, document) => {
    served.set(addressOf('did:web:bad.example'), document)
    expect(await resolve('did:web:bad.example')).toMatchObject({
      status: 422,
      body: {
        details: [
          { path: 'didResolutionMetadata.error', message: 'invalidDidDocument' },
          { path: `didDocument.${member}`, message: 'cannot be read' },
        ],
      },
    })
  })

  test.each<[string, unknown]>([
    ['authentication', { id: 'did:web:bad.example', authentication: {} }],
    [
      'service.0.recipientKeys',
      { id: 'did:web:bad.example', service: [{ type: 'IndyAgent', serviceEndpoint: 'a:b' }] },
    ],
  ])('and where an invitation names its DID, the answer names %s too', async (member, document) => {
    const did = 'did:web:bad.example'
    served.set(addressOf(did), document)
    const { status, body } = await stage.call('receiveImplicitInvitation', { caller, body: { did } })
    const message = expect.stringContaining(`the member ${member} of the DID document cannot be read`)
    expect({ status, details: body.details }).toEqual({ status: 422, details: [{ path: 'did', message }] })
  })

  test.each<[number, unknown, unknown]>([
    [404, 410, [expect.anything(), { path: 'didResolutionMetadata.message', message: expect.stringContaining('410') }]],
    [
      404,
      { id: 'did:web:b' },
      [expect.anything(), expect.objectContaining({ message: 'the document belongs to another DID' })],
    ],
    [503, 500, undefined],
    [503, '<html>', undefined],
  ])('or is a %i that says why', async (status, document, details) => {
    served.set(addressOf('did:web:none.example'), document)
    const reply = await resolve('did:web:none.example')
    expect({ status: reply.status, details: reply.body.details }).toEqual({ status, details })
    if (status === 503) expect(reply.body.message).toContain('none.example')
  })
})

test('a credential of its issuer is verified and stored', async () => {
  const [issuer, holder] = [await createTenant(stage), await createTenant(stage)]
  const { did, didDocument } = await succeed(stage, 'createDid', issuer, {
    body: { method: 'web', domain: 'bank.example' },
  })
  const [{ id: _, publicKeyBase58 }, method] = [didDocument.verificationMethod[0], didDocument.assertionMethod[0]]
  const text = JSON.stringify(oddDocument(did, publicKeyBase58)).replaceAll(`${did}#key`, method)
  served.set(addressOf(did), text)
  const { connectionId } = await connectTenants(stage, issuer, holder)
  const offer: Json = offerBody(connectionId, 'did:example:holder')
  offer.credentialFormats.jsonld.credential.issuer = did
  const { threadId } = await succeed(stage, 'createOffer', issuer, { body: offer })
  await settled(stage)
  const held = async () => (await succeed(stage, 'getCredentials', holder, { query: { threadId } }))[0]
  const body = { credentialRecordId: (await held()).id, autoAcceptCredential: 'always' }
  await succeed(stage, 'acceptCredentialOffer', holder, { body })
  await settled(stage)
  expect(await held()).toMatchObject({ state: 'done' })
})

describe('a wallet connects', async () => {
  const wallet = await useWallet()
  const raw = new RawMessages(wallet)
  const handshake = new RawHandshake(wallet, raw)

  test('whose did:web has such a document', async () => {
    const { invitation, outOfBandId } = await inviteToConnect(stage, caller)
    const senderKey = await handshake.newKey()
    const did = 'did:web:wallet.example'
    served.set(addressOf(did), oddDocument(did, base58Of(senderKey)))
    const { message } = await handshake.request(invitation, { did, senderKey })
    await handshake.complete(message, senderKey)
    const [connection] = await succeed(stage, 'getConnections', caller, { query: { outOfBandId } })
    expect(connection).toMatchObject({ state: 'completed', theirDid: did })
  })

  test('that attaches such a document of a did:peer, which is the hash of the attached document', async () => {
    const { invitation, outOfBandId } = await inviteToConnect(stage, caller)
    const senderKey = await handshake.newKey()
    const document = oddDocument('', base58Of(senderKey), { id: undefined })
    const did = didDocumentJsonToNumAlgo1Did(document)
    const { message } = await handshake.request(invitation, { did, senderKey, document })
    await handshake.complete(message, senderKey)
    const [connection] = await succeed(stage, 'getConnections', caller, { query: { outOfBandId } })
    expect(connection).toMatchObject({ state: 'completed', theirDid: did })
  })

  test('that attaches such a document of a DID without a method', async () => {
    const { invitation, outOfBandId } = await inviteToConnect(stage, caller)
    const senderKey = await handshake.newKey()
    const did = unqualifiedDid(senderKey)
    const document: Json = legacyDocument(did, senderKey, 'http://127.0.0.1:1')
    document['@context'] = ['https://www.w3.org/ns/did/v1', { '@vocab': 'https://a.example/#' }]
    delete document.publicKey[0].controller
    document.service = [null, { type: 'LinkedDomains' }, { ...document.service[0], routingKeys: null }]
    const { message } = await handshake.request(invitation, { did, senderKey, document, version: '1.0' })
    await handshake.complete(message, senderKey, '1.0')
    const [connection] = await succeed(stage, 'getConnections', caller, { query: { outOfBandId } })
    expect(connection).toMatchObject({ state: 'completed' })
  })

  test('not with an invalid service beside the valid one', async () => {
    const { invitation } = await inviteToConnect(stage, caller)
    const senderKey = await handshake.newKey()
    const withUnreadable = (id?: string) => {
      const usual: Json = oddDocument(id ?? '', base58Of(senderKey), { id })
      return { ...usual, service: [...usual.service, { type: 'did-communication', recipientKeys: [5] }] }
    }
    const document = withUnreadable()
    const did = didDocumentJsonToNumAlgo1Did(document)
    expect(await handshake.request(invitation, { did, senderKey, document })).toMatchObject({ status: 400 })
    const web = 'did:web:unreadable.example'
    served.set(addressOf(web), withUnreadable(web))
    expect(await handshake.request(invitation, { did: web, senderKey })).toMatchObject({ status: 400 })
  })
})
