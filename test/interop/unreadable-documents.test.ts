/** Work that needs a document of another host while that host fails: it is done later, and no message blames the other agent. */
import { randomUUID } from 'node:crypto'
import { DidKey, TypedArrayEncoder } from '@credo-ts/core'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { degreeAbout, hold, keyDidOf } from '../support/held-degree.ts'
import { createTenant, degreeDefinition, offerBody } from '../support/scenes.ts'
import type { Json, Reply } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { connectTenants, inviteToConnect, settled, succeed } from '../support/tenants.ts'
import { useLogLines } from '../support/watch/log-lines.ts'
import type { RawKey } from '../wallet/handshake-requests.ts'
import { RawHandshake } from '../wallet/raw-handshake.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const CONTEXT = 'https://contexts.example/v1'
const DID = 'did:web:wallet.example'
const PING = { '@type': 'https://didcomm.org/trust_ping/1.0/ping' }

/** Documents by their addresses, which would be on hosts with certificates, and the hosts' answers in place of them. */
const hosts = vi.hoisted(() => ({ served: new Map<string, object>(), status: 200, asked: [] as string[] }))

vi.mock('../../lib/egress/post.ts', async (original) => ({
  ...(await original<object>()),
  get: async ({ url }: { url: string }) => {
    hosts.asked.push(url)
    const document = hosts.status === 200 ? hosts.served.get(url) : undefined
    const status = hosts.status === 200 && document === undefined ? 404 : hosts.status
    return { status, headers: {}, body: document === undefined ? '' : JSON.stringify(document), milliseconds: 1 }
  },
}))

const DEGREES = {
  '@context': { degree: 'https://example.org/degree', DegreeCredential: 'https://example.org/DegreeCredential' },
}
hosts.served.set(CONTEXT, DEGREES)

const stage = await useStage()
const issuer = await createTenant(stage, 'Issuer')
const contexts = ['https://www.w3.org/2018/credentials/v1', CONTEXT]

const lines = useLogLines()

afterEach(() => {
  hosts.status = 200
  hosts.asked = []
})

const expectLater = ({ status, headers, body }: Reply): void => {
  expect({ status, body }).toMatchObject({ status: 503 })
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
}

/** Runs what is due in some minutes, such as the next attempt after a receiver's 503. */
const passMinutes = async (minutes: number): Promise<void> => {
  await stage.line.pause()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
  await stage.line.sweep()
  await stage.line.settle()
  vi.useRealTimers()
  stage.line.run()
}

describe('a credential with a context that cannot be read', async () => {
  const holder = await createTenant(stage, 'Holder')
  const { connectionId } = await connectTenants(stage, issuer, holder)
  const subject = await keyDidOf(holder)

  /** Offered, and requested while the hosts answer `status`. */
  const requested = async (autoAcceptCredential: string, status: number): Promise<string> => {
    const { credentialFormats, ...offer } = offerBody(connectionId, subject)
    const { credential, options } = credentialFormats.jsonld
    const jsonld = { credential: { ...credential, '@context': contexts }, options }
    const body = { ...offer, autoAcceptCredential, credentialFormats: { jsonld } }
    const { id, threadId } = await succeed(stage, 'createOffer', issuer, { body })
    await settled(stage)
    const [held] = await succeed(stage, 'getCredentials', holder, { query: { threadId } })
    hosts.status = status
    await succeed(stage, 'acceptCredentialOffer', holder, { body: { credentialRecordId: held.id } })
    await settled(stage)
    return id
  }
  const ISSUED = /^(credential-issued|done)$/
  const exchange = (credentialRecordId: string): Promise<Json> =>
    succeed(stage, 'getCredentialById', issuer, { path: { credentialRecordId } })
  const stateOf = async (id: string): Promise<string> => (await exchange(id)).state

  test('is issued by a later call', async () => {
    const credentialRecordId = await requested('never', 503)
    const accept = () => stage.call('acceptCredentialRequest', { caller: issuer, body: { credentialRecordId } })
    expectLater(await accept())
    hosts.status = 200
    expect(await accept()).toMatchObject({ status: 200, body: { state: 'credential-issued' } })
  })

  test('is issued later, without another request', async () => {
    const id = await requested('contentApproved', 503)
    expect(await stateOf(id)).toBe('request-received')
    expect(lines.map(({ event }) => event)).not.toContain('inbound.refused')
    await passMinutes(10)
    expect(await stateOf(id)).toBe('request-received')
    hosts.status = 200
    await passMinutes(20)
    expect(await stateOf(id)).toMatch(ISSUED)
  })

  test('is not issued again where a call has issued it before', async () => {
    const id = await requested('contentApproved', 503)
    hosts.status = 200
    await succeed(stage, 'acceptCredentialRequest', issuer, { body: { credentialRecordId: id } })
    await settled(stage)
    const issued = await exchange(id)
    await passMinutes(10)
    expect(await exchange(id)).toEqual(issued)
    expect(lines.map(({ event }) => event)).not.toContain('credential.not_issued')
  })

  test('waits for a call where it can never be issued', async () => {
    const id = await requested('contentApproved', 503)
    hosts.status = 410
    await passMinutes(10)
    expect(await stateOf(id)).toBe('request-received')
    expect(lines).toContainEqual(expect.objectContaining({ event: 'credential.not_issued', credentialRecordId: id }))
  })
})

describe('a presentation of a credential with such a context', () => {
  const presentationExchange = {
    presentationDefinition: degreeDefinition,
    options: { contexts: { [CONTEXT]: DEGREES } },
  }

  /** A tenant that holds one, and is asked for it while the hosts answer `status`. */
  const askedFor = async (status: number, config: object = {}) => {
    const { id: tenantId } = await succeed(
      stage,
      'createTenant',
      {},
      { body: { config: { label: 'Prover', ...config } } },
    )
    const prover = { tenantId }
    const { connectionId } = await connectTenants(stage, issuer, prover)
    await hold(issuer, prover, degreeAbout(await keyDidOf(prover), { '@context': contexts }))
    hosts.status = status
    const body = {
      connectionId,
      protocolVersion: 'v2',
      autoAcceptProof: 'never',
      proofFormats: { presentationExchange },
    }
    const { threadId } = await succeed(stage, 'requestProof', issuer, { body })
    await settled(stage)
    const proof = async (): Promise<Json> => (await succeed(stage, 'getProofs', prover, { query: { threadId } }))[0]
    const { id: proofRecordId } = (await proof()) ?? {}
    const accept = () => stage.call('acceptProofRequest', { caller: prover, path: { proofRecordId }, body: {} })
    return { proof, accept }
  }

  test('is made by a later call', async () => {
    const { accept } = await askedFor(503)
    expectLater(await accept())
    hosts.status = 200
    expect(await accept()).toMatchObject({ status: 200, body: { state: 'presentation-sent' } })
  })

  test('is made automatically later, without another request', async () => {
    const { proof } = await askedFor(503, { autoAcceptProofRequests: true })
    expect(await proof()).toMatchObject({ state: 'request-received' })
    await passMinutes(10)
    expect(await proof()).toMatchObject({ state: 'request-received' })
    hosts.status = 200
    await passMinutes(20)
    expect(await proof()).toMatchObject({ state: expect.stringMatching(/^(presentation-sent|done)$/) })
  })

  test('waits for a call where it can never be made', async () => {
    const { proof } = await askedFor(503, { autoAcceptProofRequests: true })
    hosts.status = 410
    await passMinutes(10)
    const { id: proofRecordId, state } = await proof()
    expect(state).toBe('request-received')
    expect(lines).toContainEqual(expect.objectContaining({ event: 'proof.not_presented', proofRecordId }))
  })

  test('is not made where the context no longer exists: the request waits for a call, which says why', async () => {
    const { proof, accept } = await askedFor(410, { autoAcceptProofRequests: true })
    expect(await proof()).toMatchObject({ state: 'request-received' })
    expect(await accept()).toMatchObject({
      status: 422,
      body: { details: [{ path: 'proofFormats.presentationExchange', message: expect.stringContaining(CONTEXT) }] },
    })
  })
})

/** The document of a did:web. https://w3c-ccg.github.io/did-method-web/ */
const documentOf = (key: RawKey, did = DID) => ({
  '@context': ['https://www.w3.org/ns/did/v1'],
  id: did,
  verificationMethod: [
    {
      ...{ id: `${did}#key`, type: 'Ed25519VerificationKey2018', controller: did },
      publicKeyBase58: TypedArrayEncoder.toBase58(key.publicKey.publicKey),
    },
  ],
  authentication: [`${did}#key`],
  service: [
    {
      ...{ id: `${did}#didcomm`, type: 'did-communication', priority: 0, recipientKeys: [`${did}#key`] },
      serviceEndpoint: 'http://127.0.0.1:9999',
    },
  ],
})

describe('a wallet whose DID is on a host that fails', async () => {
  const wallet = await useWallet()
  const raw = new RawMessages(wallet)
  const handshake = new RawHandshake(wallet, raw)

  test('can be written to later: the caller gets a 503, and so does a wallet that waits for a reply', async () => {
    const { invitation, outOfBandId } = await inviteToConnect(stage, issuer)
    const senderKey = await handshake.newKey()
    hosts.served.set('https://wallet.example/.well-known/did.json', documentOf(senderKey))
    const { message } = await handshake.request(invitation, { did: DID, senderKey })
    const route = await handshake.complete(message, senderKey)
    const [connection] = await succeed(stage, 'getConnections', issuer, { query: { outOfBandId } })
    expect(connection).toMatchObject({ state: 'completed', theirDid: DID })
    const threadId = randomUUID()
    const proposal = {
      ...{ '@type': 'https://didcomm.org/present-proof/2.0/propose-presentation', '@id': threadId },
      formats: [{ attach_id: 'a', format: 'dif/presentation-exchange/definitions@v1.0' }],
      'proposals~attach': [{ '@id': 'a', data: { json: degreeDefinition } }],
    }
    await raw.send(proposal, route)
    const [proof] = await succeed(stage, 'getProofs', issuer, { query: { threadId } })
    const path = { connectionId: connection.id, proofRecordId: proof.id }
    const send = () => stage.call('sendMessage', { caller: issuer, path, body: { content: 'hello' } })
    const goOn = () => stage.call('acceptProofProposal', { caller: issuer, path, body: {} })
    // Credo reads a document again after some minutes.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    const ping = async () => (await raw.send({ ...PING, '@id': randomUUID(), response_requested: true }, route)).status
    for (const [status, message, refusal] of [
      [503, /host of its DID is unavailable/, 503],
      [404, /has no usable endpoint/, 400],
    ] as const) {
      hosts.status = status
      expect(await ping()).toBe(refusal)
      for (const reply of [await send(), await goOn()]) {
        expect(reply).toMatchObject({ status: 409, body: { message: expect.stringMatching(message) } })
        expect(reply.headers['retry-after']).toBe(status === 503 ? '60' : undefined)
      }
    }
    hosts.status = 200
    for (const reply of [await send(), await goOn()]) expect(reply.status).toBe(200)
    expect(await ping()).toBe(200)
  })
})

describe('an invitation by several services, which are alternatives', async () => {
  const raw = new RawMessages(await useWallet())
  const invitee = await createTenant(stage, 'Invitee')
  const inline = { serviceEndpoint: 'http://127.0.0.1:9999', recipientKeys: [new DidKey(await raw.newKey()).did] }
  const [known, others] = ['did:web:inviter.example', (n: number) => `did:web:other-${n}.example`] as const
  hosts.served.set('https://inviter.example/.well-known/did.json', documentOf(await raw.newKey(), known))

  const receive = (services: unknown[], more: object = {}) => {
    const invitation = {
      ...{ '@type': 'https://didcomm.org/out-of-band/1.1/invitation', '@id': randomUUID(), services },
      handshake_protocols: ['https://didcomm.org/didexchange/1.1'],
    }
    return stage.call('receiveInvitation', { caller: invitee, body: { invitation, ...more } })
  }
  /** Of an accepted invitation. */
  const usedOf = ({ status, body }: Reply): { services: Json[]; keys: string[] } => {
    expect({ status, body }).toMatchObject({ status: 200, body: { connectionRecord: { state: 'request-sent' } } })
    const { outOfBandInvitation, _tags } = body.outOfBandRecord
    return { services: outOfBandInvitation.services, keys: _tags.recipientKeyFingerprints }
  }
  const ofInline = {
    services: [expect.objectContaining({ recipientKeys: inline.recipientKeys })],
    keys: inline.recipientKeys.map((key) => key.replace('did:key:', '')),
  }

  test.each([
    ['a DID on a host that fails', 503, others(1)],
    ['a DID without a document', 404, others(2)],
    ['a DID of an unknown method', 200, 'did:example:x'],
    [
      'a service of DIDComm v2',
      200,
      { id: '#v2', type: 'DIDCommMessaging', serviceEndpoint: { uri: 'https://a.example' } },
    ],
  ])('is accepted by the service beside %s, with only its keys', async (_, status, service) => {
    hosts.status = status
    expect(usedOf(await receive([service, inline]))).toEqual(ofInline)
    expect(usedOf(await receive([inline, service]))).toEqual(ofInline)
  })

  test('is accepted later, too, by the service that is usable then', async () => {
    const { body } = await receive([known, inline], { autoAcceptInvitation: false })
    expect(body.outOfBandRecord.outOfBandInvitation.services).toHaveLength(2)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    hosts.status = 503
    const path = { outOfBandId: body.outOfBandRecord.id }
    expect(usedOf(await stage.call('acceptInvitation', { caller: invitee, path, body: {} }))).toEqual(ofInline)
  })

  test('is a 503 if no service is usable but one may become so, otherwise a 422 that names each', async () => {
    hosts.status = 503
    expectLater(await receive(['did:example:x', others(3)]))
    hosts.status = 404
    const message = 'must be a DID that can be resolved and has a usable endpoint'
    expect(await receive(['did:example:x', { type: 'v2' }, others(3)])).toMatchObject({
      status: 422,
      body: { details: [0, 2].map((index) => ({ path: `invitation.services.${index}`, message })) },
    })
  })

  test('has at most four of its DIDs resolved', async () => {
    hosts.status = 404
    expect(usedOf(await receive([...[4, 5, 6, 7, 8].map(others), inline]))).toEqual(ofInline)
    expect(hosts.asked).toHaveLength(4)
    hosts.status = 200
    hosts.asked = []
    expect((await receive([...[4, 5, 6, 7].map(others), known])).status).toBe(422)
    expect(hosts.asked).toHaveLength(4)
  })
})
