/** Handshake requests that name another agent's DID or keys, or documents that do not match their DID. */
import { randomUUID } from 'node:crypto'
import {
  createPeerDidDocumentFromServices,
  DidKey,
  didDocumentJsonToNumAlgo1Did,
  didDocumentToNumAlgo2Did,
  didDocumentToNumAlgo4Did,
} from '@credo-ts/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { MAX_LINEAR_MS, processorTime } from '../support/processor-time.ts'
import { connect, createTenant, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { type Ed25519Key, legacyDocument, RawHandshake, unqualifiedDid } from '../wallet/raw-handshake.ts'
import { type RawAnswer, RawMessages } from '../wallet/raw-messages.ts'

let key: Ed25519Key

const stage = await useStage()
const wallet = await useWallet()
const raw = new RawMessages(wallet)
const handshake = new RawHandshake(wallet, raw)
const caller = await createTenant(stage)
/** A connection of another agent, as far as the attacker is concerned. */
const victim = await connect(stage, wallet, caller)
const { did = '' } = await wallet.agent.didcomm.connections.getById(victim.walletConnectionId)
const victimDid = did
const { senderKey } = await raw.route(victim.walletConnectionId)
if (senderKey === undefined) throw new Error('the victim has no key')
const victimKey = senderKey
/** One invitation for the requests of a kind: a request that is rejected does not use it, but it has 20 tries. */
const invite = async (): Promise<Json> => (await stage.call('createRequest', { caller, body: requestBody })).body
let invited = await invite()
const inviteAnew = async () => {
  invited = await invite()
}
key = await handshake.newKey()

/** The request has no effect: the victim's connection works, and the invitation waits. */
const expectRejected = async ({ status }: RawAnswer) => {
  expect(status).toBe(400)
  const ping = {
    '@type': 'https://didcomm.org/trust_ping/1.0/ping',
    '@id': randomUUID(),
    response_requested: true,
    '~transport': { return_route: 'all' },
  }
  expect(await raw.sendOn(victim.walletConnectionId, ping)).toMatchObject({ status: 200, message: {} })
  const query = { outOfBandId: invited.outOfBandRecord.id }
  expect((await stage.call('getConnections', { caller, query })).body).toEqual([])
}

const request = (more: Parameters<RawHandshake['request']>[1]) => handshake.request(invited.invitation, more)

const ownPeerDid = () => {
  const service = { id: '#didcomm', serviceEndpoint: 'http://127.0.0.1:9', recipientKeys: [key], routingKeys: [] }
  return didDocumentToNumAlgo4Did(createPeerDidDocumentFromServices([service], false).didDocument)
}
/** A did:peer:4 whose document says `more` of its only key. */
const peerDidOf = (more: object) => {
  const service = { id: '#didcomm', serviceEndpoint: 'http://127.0.0.1:9', recipientKeys: [key], routingKeys: [] }
  const { didDocument } = createPeerDidDocumentFromServices([service], false)
  const document = didDocument.toJSON() as Json
  for (const method of [document.verificationMethod ?? [], document.authentication].flat())
    if (typeof method === 'object') Object.assign(method, more)
  const changed = Object.assign(didDocument, { toJSON: () => structuredClone(document) })
  return { did: didDocumentToNumAlgo4Did(changed).longFormDid, document }
}
const hashOf = (longForm: string): string => longForm.slice(0, longForm.lastIndexOf(':'))
const resolvesTo = async (did: string): Promise<number> =>
  (await stage.call('resolveDid', { caller, path: { did } })).status

test('a did-exchange request is accepted that names a did:peer:2 with all characters of base64url', async () => {
  const { body: other } = await stage.call('createRequest', { caller, body: requestBody })
  const senderKey = await handshake.newKey()
  const serviceEndpoint = 'http://127.0.0.1:9/a~b?cc?ddd?'
  const service = { id: '#didcomm', serviceEndpoint, recipientKeys: [senderKey], routingKeys: [] }
  const did = didDocumentToNumAlgo2Did(createPeerDidDocumentFromServices([service], false).didDocument)
  expect(did).toMatch(/[_-]/)
  const { message } = await handshake.request(other.invitation, { did, senderKey })
  expect(message).toMatchObject({ '@type': expect.stringContaining('didexchange/1.1/response') })
  const query = { outOfBandId: other.outOfBandRecord.id }
  expect((await stage.call('getConnections', { caller, query })).body).toMatchObject([{ theirDid: did }])
})

describe('a did-exchange request is rejected that names', () => {
  test('the DID of another wallet', async () => {
    await expectRejected(await request({ did: victimDid, senderKey: key }))
  })

  test('the DID of another wallet in its short form', async () => {
    await expectRejected(await request({ did: victimDid.slice(0, victimDid.lastIndexOf(':')), senderKey: key }))
  })

  test.each([
    [
      'a document of its own under the hash of another wallet',
      (own: string) => `${hashOf(victimDid)}:${own.split(':')[3]}`,
    ],
    ['the document of another wallet under its own hash', (own: string) => `${hashOf(own)}:${victimDid.split(':')[3]}`],
    ['its own did:peer:4 with another end', (own: string) => `${own}:`],
    ['its own did:peer:4 with two documents', (own: string) => `${own}:${victimDid.split(':')[3]}`],
    ['its own did:peer:4 with a fragment', (own: string) => `${own}#key-1`],
    ['its own did:peer:4 as a URL', (own: string) => `${own}?versionId=1`],
    ['its own did:peer:4 in another case', (own: string) => own.replace('did:peer', 'did:PEER')],
  ])('%s', async (_, spell) => {
    const { longFormDid } = ownPeerDid()
    await expectRejected(await request({ did: spell(longFormDid), senderKey: key }))
    expect(await resolvesTo(hashOf(longFormDid))).toBe(404)
  })

  test('its own did:peer:4 in its short form', async () => {
    const { shortFormDid } = ownPeerDid()
    await expectRejected(await request({ did: shortFormDid, senderKey: key }))
  })

  test.each(['revoked', 'expires'])('its own DID, whose document says of its key: %s', async (name) => {
    await inviteAnew()
    const { did, document } = peerDidOf({ [name]: '2026-01-02T00:00:00Z' })
    expect(document.authentication).toHaveLength(1)
    await expectRejected(await request({ did, senderKey: key }))
  })

  test('the DID of the agent', async () => {
    await expectRejected(await request({ did: invited.invitationDid, senderKey: key }))
  })

  test.each([
    ['nothing', ''],
    ['no DID', 'did:'],
    ['a DID of an unknown method', 'did:example:1'],
    ['an invalid did:peer', 'did:peer:9x'],
    ['a did:peer:4 with an unknown long form', 'did:peer:4zQmSchnauzerSchnauzerSchnauzerSchnauzerSchnau1'],
    ['a DID on a host that is not there', 'did:web:agent.example.invalid'],
  ])('%s', async (_, did) => {
    await expectRejected(await request({ did, senderKey: key }))
  })

  test('more than its own DID', async () => {
    await expectRejected(await request({ did: `${new DidKey(key).did}#key`, senderKey: key }))
  })

  test('an unqualified DID whose document no DID of its own could hold', async () => {
    const did = unqualifiedDid(key)
    const document = legacyDocument(did, key, `http://127.0.0.1:9/${'x'.repeat(3_000)}`)
    await expectRejected(await request({ did, document, senderKey: key, version: '1.0' }))
  })

  test('its own DID, without saying whose it is', async () => {
    const anonymous = { did: new DidKey(key).did, senderKey: undefined as never }
    await expectRejected(await request(anonymous))
  })
})

describe.each<[string, (names: { did?: string; recipient?: Ed25519Key }) => { did: string; document: Json }]>([
  [
    'unqualified DID',
    ({ did = unqualifiedDid(key), recipient = key }) => {
      const document: Json = legacyDocument(did, key, 'http://127.0.0.1:9')
      const of: Json = legacyDocument(did, recipient, 'http://127.0.0.1:9')
      return { did: unqualifiedDid(key), document: { ...document, service: of.service } }
    },
  ],
  [
    'did:peer:1',
    ({ did, recipient = key }) => {
      const method = (id: string, one: Ed25519Key) => ({
        id,
        type: 'Ed25519VerificationKey2018',
        controller: '#id',
        publicKeyBase58: new DidKey(one).didDocument.verificationMethod?.[0]?.publicKeyBase58,
      })
      const document = {
        '@context': ['https://w3id.org/did/v1'],
        authentication: [method('#own', key), method('#other', recipient)],
        service: [
          {
            id: '#didcomm',
            type: 'did-communication',
            priority: 0,
            recipientKeys: ['#other'],
            serviceEndpoint: 'http://127.0.0.1:9',
          },
        ],
      }
      const own = didDocumentJsonToNumAlgo1Did(document)
      return { did: own, document: did === undefined ? { ...document, id: own } : { ...document, id: did, more: did } }
    },
  ],
])('an attached document of a %s is rejected', (_, names) => {
  beforeAll(inviteAnew)

  const sent = (names: { did: string; document: Json }, more: object = {}) =>
    request({ ...names, senderKey: key, version: '1.0', ...more })
  const altered = (alter: (attachment: Json) => void) => ({
    alter: (message: Json) => {
      alter(message['did_doc~attach'])
      return message
    },
  })

  test('but not one that is as it should be', async () => {
    const { body: other } = await stage.call('createRequest', { caller, body: requestBody })
    const senderKey = key
    key = await handshake.newKey()
    const { message } = await handshake.request(other.invitation, { ...names({}), senderKey: key, version: '1.0' })
    expect(message).toMatchObject({ '@type': expect.stringContaining('didexchange/1.1/response') })
    key = senderKey
  })

  test('whose recipient key is of another wallet', async () => {
    await expectRejected(await sent(names({ recipient: victimKey })))
  })

  test('that is of another DID', async () => {
    await expectRejected(await sent(names({ did: unqualifiedDid(victimKey) })))
  })

  test('that another key has signed', async () => {
    await expectRejected(await sent(names({}), { signedBy: await handshake.newKey() }))
  })

  test('that is not signed', async () => {
    await expectRejected(
      await sent(
        names({}),
        altered(({ data }) => delete data.jws),
      ),
    )
  })

  test('that was changed after it was signed', async () => {
    const other = names({ did: unqualifiedDid(victimKey) }).document
    const change = altered((attachment) => {
      attachment.data.base64 = Buffer.from(JSON.stringify(other)).toString('base64')
    })
    await expectRejected(await sent(names({}), change))
  })

  test('that is not there', async () => {
    const { did } = names({})
    await expectRejected(await request({ did, senderKey: key, version: '1.0' }))
  })

  test('that is no document', async () => {
    await expectRejected(await sent({ did: names({}).did, document: [] }))
  })
})

describe('a connections/1.0 request is rejected whose document', () => {
  beforeAll(inviteAnew)

  const connectionRequest = async (DIDDoc: object) => {
    const route = { ...(await raw.routeToDid(invited.invitationDid)), senderKey: key }
    const message = {
      '@type': 'https://didcomm.org/connections/1.0/request',
      '@id': randomUUID(),
      '~thread': { pthid: invited.invitation['@id'] },
      '~transport': { return_route: 'all' },
      label: 'Raw',
      connection: { DID: unqualifiedDid(key), DIDDoc },
    }
    return raw.send(message, route)
  }

  test('is of another key', async () => {
    await expectRejected(await connectionRequest(legacyDocument(unqualifiedDid(key), victimKey, 'http://127.0.0.1:9')))
  })

  test('names the recipient key of another wallet beside its own', async () => {
    const own: Json = legacyDocument(unqualifiedDid(key), key, 'http://127.0.0.1:9')
    const [service] = own.service
    const [other]: Json = (legacyDocument('x', victimKey, 'x') as Json).service
    service.recipientKeys.push(...other.recipientKeys)
    await expectRejected(await connectionRequest(own))
  })

  // Credo reads recipient keys of an IndyAgent as keys, and those of other services as ids, by their last part.
  test.each<[string, string, (theirs: string, own: string) => string, string[]?]>([
    ['IndyAgent', 'by a key', (theirs) => theirs],
    ['did-communication', 'by an id', () => '1'],
    ['did-communication', 'by an id of its authentication only', () => '1', ['authentication']],
    ['did-communication', 'by an id that looks like the own key', (_, own) => own],
  ])(
    'names in its %s the key of another wallet, %s that its own key has too',
    async (type, _, nameOf, lists = ['publicKey', 'authentication']) => {
      const own: Json = legacyDocument(unqualifiedDid(key), key, 'http://127.0.0.1:9')
      const [other] = (legacyDocument('other', victimKey) as Json).publicKey
      const name = nameOf(other.publicKeyBase58, own.publicKey[0].publicKeyBase58)
      own.publicKey[0].id = own.authentication[0].publicKey = `${own.id}#${name}`
      other.id = `did:sov:other#${name}`
      Object.assign(own.service[0], { type, recipientKeys: [name] })
      for (const list of lists) own[list].push(other)
      await expectRejected(await connectionRequest(own))
    },
  )

  test.each(['recipientKeys', 'routingKeys'])('names thousands of %s, each of which is looked for', async (list) => {
    const own: Json = legacyDocument(unqualifiedDid(key), key, 'http://127.0.0.1:9')
    const [service] = own.service
    service[list] = Array(3_500).fill(service.recipientKeys[0])
    const cpu = processorTime()
    await expectRejected(await connectionRequest(own))
    expect(cpu()).toBeLessThan(MAX_LINEAR_MS)
  })
})

test('the invitation is still good after all of that', async () => {
  const { message } = await request({ did: new DidKey(key).did, senderKey: key })
  expect(await handshake.complete(message, key)).toMatchObject({ answer: { status: 200 } })
})
