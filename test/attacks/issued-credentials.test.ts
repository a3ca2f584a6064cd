/** Issuers that give a holder another JSON-LD credential than they offered, an unsigned one, or one that is made to cost. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Kms, TypedArrayEncoder } from '@credo-ts/core'
import { DidCommMessageRepository } from '@credo-ts/didcomm'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { inTenant } from '../support/anoncreds/world.ts'
import { MAX_LINEAR_MS, processorTime } from '../support/processor-time.ts'
import { connect, createTenant, offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { settled } from '../support/tenants.ts'
import { HandSigning, keySigner, type Signer } from '../support/wallets/hand-signed.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

const CREDENTIALS_V1 = 'https://www.w3.org/2018/credentials/v1'
/** In full, so that nothing is fetched. */
const CONTEXT = { degree: 'https://example.org/degree', knows: { '@id': 'https://example.org/knows', '@type': '@id' } }
const SUBJECT = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'

const { stage, caller, wallet } = await useTenantAndWallet()
const { walletConnectionId } = await connect(stage, wallet, caller)
const raw = new RawMessages(wallet)
const signing = new HandSigning(wallet)
const issuer = keySigner()

const credentialOf = (changes: object = {}): Json => ({
  '@context': [CREDENTIALS_V1, CONTEXT],
  type: ['VerifiableCredential'],
  issuer: issuer.did,
  issuanceDate: '2026-01-01T00:00:00Z',
  credentialSubject: { id: SUBJECT, degree: 'Bachelor' },
  ...changes,
})

const OPTIONS = { proofType: 'Ed25519Signature2018', proofPurpose: 'assertionMethod' }

const send = (message: Json) =>
  raw.sendOn(walletConnectionId, { '@id': randomUUID(), '~transport': { return_route: 'all' }, ...message })

const attached = (content: unknown) => [
  {
    '@id': 'a',
    'mime-type': 'application/json',
    data: { base64: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64') },
  },
]

/** Sends an offer, or a proposal, of what `detail` holds. */
const sendOffer = async (detail: unknown, attributes: Json[] = [], kind: 'offer' | 'propose' = 'offer') => {
  const threadId = randomUUID()
  const answer = await send({
    '@type': `https://didcomm.org/issue-credential/2.0/${kind}-credential`,
    '@id': threadId,
    credential_preview: { '@type': 'https://didcomm.org/issue-credential/2.0/credential-preview', attributes },
    formats: [{ attach_id: 'a', format: 'aries/ld-proof-vc-detail@v1.0' }],
    [kind === 'offer' ? 'offers~attach' : 'filters~attach']: attached(detail),
  })
  return { threadId, status: answer.status }
}

/** What the tenant has of a thread. */
const exchangesOn = async (threadId: string): Promise<Json[]> =>
  (await stage.call('getCredentials', { caller, query: { threadId } })).body

/** The tenant has asked for what was offered. */
const requested = async (
  credential: Json = credentialOf(),
  options: object = OPTIONS,
  acceptance: object = {},
): Promise<{ threadId: string; id: string; credential: Json }> => {
  const { threadId, status } = await sendOffer({ credential, options })
  expect(status).toBe(200)
  const [{ id }] = await exchangesOn(threadId)
  const accepted = await stage.call('acceptCredentialOffer', {
    caller,
    body: { credentialRecordId: id, ...acceptance },
  })
  expect(accepted).toMatchObject({ status: 200, body: { state: 'request-sent' } })
  return { threadId, id, credential }
}

const issue = (threadId: string, credential: unknown) =>
  send({
    '@type': 'https://didcomm.org/issue-credential/2.0/issue-credential',
    '~thread': { thid: threadId },
    formats: [{ attach_id: 'a', format: 'aries/ld-proof-vc@v1.0' }],
    'credentials~attach': attached(credential),
  })

const held = async (): Promise<Json[]> => (await stage.call('getW3cCredentials', { caller })).body

const expectAbandoned = async (threadId: string, credential: unknown): Promise<void> => {
  const before = (await held()).length
  const spent = processorTime()
  expect(await issue(threadId, credential)).toMatchObject({
    status: 200,
    message: { '~thread': { thid: threadId }, description: { code: 'issuance-abandoned' } },
  })
  expect(spent()).toBeLessThan(MAX_LINEAR_MS)
  expect(await exchangesOn(threadId)).toMatchObject([{ state: 'abandoned', credentials: [] }])
  expect(await held()).toHaveLength(before)
}

test.each(['offer', 'propose'] as const)(
  'a preview, which no JSON-LD credential is compared with, is not shown: %s',
  async (kind) => {
    const attributes = [{ name: 'degree', value: 'Doctor' }]
    const { threadId } = await sendOffer({ credential: credentialOf(), options: OPTIONS }, attributes, kind)
    const [received] = await exchangesOn(threadId)
    expect(received.credentialAttributes).toEqual([])
    const { body } = await stage.call('getCredentialFormData', { caller, path: { credentialRecordId: received.id } })
    expect(body).toMatchObject(kind === 'offer' ? { offerAttributes: [] } : { proposalAttributes: [] })
  },
)

const nested = (levels: number): Json =>
  JSON.parse(`${'{"knows":'.repeat(levels)}{"degree":"Bachelor"}${'}'.repeat(levels)}`)

describe('a credential is stored', () => {
  test.each<[string, Json, object, Json?]>([
    ['as it was offered', {}, OPTIONS],
    ['of an offer without a proof purpose', {}, { proofType: 'Ed25519Signature2018' }],
    ['of the time that was offered', {}, { ...OPTIONS, created: '2026-01-01T00:00:00Z' }],
    ['that ends later', { expirationDate: '2099-01-01T00:00:00Z' }, OPTIONS],
    ['that is a bearer credential (no subject id)', { credentialSubject: { degree: 'Bachelor' } }, OPTIONS],
    [
      'with a list of one subject, which is offered by itself',
      {},
      OPTIONS,
      { credentialSubject: [{ id: SUBJECT, degree: 'Bachelor' }] },
    ],
    [
      'whose status is for a verifier to look up',
      { credentialStatus: { id: 'https://example.org/status/1', type: 'https://example.org/Status' } },
      OPTIONS,
    ],
  ])('%s', async (_, changes, options, issued = {}) => {
    const { threadId, credential } = await requested(credentialOf(changes), options)
    const before = (await held()).length
    const signed = await signing.signed({ ...credential, ...issued }, issuer, { proofPurpose: 'assertionMethod' })
    expect(await issue(threadId, signed)).toMatchObject({ status: 200, message: { '~thread': { thid: threadId } } })
    const [exchange] = await exchangesOn(threadId)
    expect(exchange).toMatchObject({ state: 'done', credentials: [{ credentialRecordType: 'w3c' }] })
    const stored = await held()
    expect(stored).toHaveLength(before + 1)
    expect(stored.at(-1).credentialInstances).toEqual([{ credential: signed }])
  })
})

const HOUR = 60 * 60_000
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR).toISOString()

/** Of a context. */
const host = { status: 503, requests: 0 }
const server = createServer((_, response) => {
  host.requests++
  response.writeHead(host.status).end(JSON.stringify({ '@context': CONTEXT }))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => void server.close())
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`

describe('a credential is abandoned, and not stored,', () => {
  const other = keySigner()

  test.each<[string, (credential: Json) => Json, Signer?]>([
    ['with another claim', (one) => ({ ...one, credentialSubject: { id: SUBJECT, degree: 'Doctor' } })],
    ['about another agent', (one) => ({ ...one, credentialSubject: { id: 'did:example:else', degree: 'Bachelor' } })],
    ['with a claim more', (one) => ({ ...one, credentialSubject: { ...one.credentialSubject, knows: SUBJECT } })],
    ['that expires', (one) => ({ ...one, expirationDate: '2099-01-01T00:00:00Z' })],
    ['with another meaning of its terms', (one) => ({ ...one, '@context': [CREDENTIALS_V1, { degree: 'urn:other' }] })],
    ['in the name of another issuer', (one) => ({ ...one, issuer: other.did }), other],
    ['signed by another issuer', (one) => one, other],
  ])('%s', async (_, alter, signer = issuer) => {
    const { threadId, credential } = await requested()
    await expectAbandoned(
      threadId,
      await signing.signed(alter(credential), signer, { proofPurpose: 'assertionMethod' }),
    )
  })

  test.each<[string, (signed: Json) => unknown]>([
    ['with a claim that was changed since', (one) => ({ ...one, credentialSubject: { id: SUBJECT, degree: 'PhD' } })],
    ['without a proof', ({ proof: _, ...one }) => one],
    ['with a list of proofs', (one) => ({ ...one, proof: [one.proof] })],
    ['with a proof of another type', (one) => ({ ...one, proof: { ...one.proof, type: 'Ed25519Signature2020' } })],
    [
      'with a proof for another purpose',
      (one) => ({ ...one, proof: { ...one.proof, proofPurpose: 'authentication' } }),
    ],
    ['with an invalid signature', (one) => ({ ...one, proof: { ...one.proof, jws: 'e30..AAAA' } })],
    ['with a proof that names no key', (one) => ({ ...one, proof: { ...one.proof, verificationMethod: 1 } })],
    ['with a list in the place of an object', (one) => ({ ...one, credentialSubject: Object.values(one) })],
    ['that is not an object', () => [1]],
    ['that is nothing', () => 'null'],
    ['that is not JSON', () => '{'],
  ])('%s', async (_, alter) => {
    const { threadId, credential } = await requested()
    const signed = await signing.signed(credential, issuer, { proofPurpose: 'assertionMethod' })
    await expectAbandoned(threadId, alter(signed))
  })

  test.each([{ challenge: 'c' }, { domain: 'https://example.org' }])(
    'whose proof was not offered to be for %j',
    async (more) => {
      const { threadId, credential } = await requested()
      const signed = await signing.signed(credential, issuer, { proofPurpose: 'assertionMethod', ...more })
      await expectAbandoned(threadId, signed)
    },
  )

  test('whose proof is of another time than was offered', async () => {
    const { threadId, credential } = await requested(credentialOf(), { ...OPTIONS, created: '2026-01-02T00:00:00Z' })
    await expectAbandoned(threadId, await signing.signed(credential, issuer, { proofPurpose: 'assertionMethod' }))
  })

  test('that was over when it was offered', async () => {
    const { threadId, credential } = await requested(credentialOf({ expirationDate: '2026-01-02T00:00:00Z' }))
    await expectAbandoned(threadId, await signing.signed(credential, issuer, { proofPurpose: 'assertionMethod' }))
    const errorMessage = 'the credential does not verify: it is not valid at this time'
    expect(await exchangesOn(threadId)).toMatchObject([{ errorMessage }])
  })

  test('that names its issuer by a prefix, which hides who it is', async () => {
    const hidden = {
      '@context': [CREDENTIALS_V1, { ...CONTEXT, me: 'did:key:' }],
      issuer: issuer.did.replace('did:key', 'me'),
    }
    const { threadId, credential } = await requested(credentialOf(hidden))
    await expectAbandoned(threadId, await signing.signed(credential, issuer, { proofPurpose: 'assertionMethod' }))
  })

  test('whose context gives the DID of its issuer another meaning', async () => {
    const context = [CREDENTIALS_V1, { ...CONTEXT, did: 'https://example.org/' }]
    const { threadId, credential } = await requested(credentialOf({ '@context': context }))
    await expectAbandoned(threadId, await signing.signed(credential, issuer, { proofPurpose: 'assertionMethod' }))
  })

  test('of two issuers, whichever of them has signed it', async () => {
    for (const [signer, another] of [
      [issuer, other],
      [other, issuer],
    ] as const) {
      const both = { issuer: signer.did, 'https://www.w3.org/2018/credentials#issuer': { id: another.did } }
      const { threadId, credential } = await requested(credentialOf(both))
      await expectAbandoned(threadId, await signing.signed(credential, signer, { proofPurpose: 'assertionMethod' }))
    }
  })

  test('of a date that is more than a day ahead', async () => {
    const issuanceDate = inHours(25)
    const { threadId, credential } = await requested(credentialOf({ issuanceDate }))
    await expectAbandoned(threadId, await signing.signed(credential, issuer, { proofPurpose: 'assertionMethod' }))
  })

  test('whose context its host does not have', async () => {
    host.status = 404
    const { threadId, credential } = await requested(credentialOf({ '@context': [CREDENTIALS_V1, address] }))
    await expectAbandoned(threadId, { ...credential, proof: await anyProof() })
  })

  test('of blank nodes that are hard to distinguish', async () => {
    const nodes = Array.from({ length: 8 }, (_, at) => `_:b${at}`)
    const subject = { id: SUBJECT, knows: nodes.map((id) => ({ '@id': id, knows: nodes.filter((one) => one !== id) })) }
    const { threadId, credential } = await requested(credentialOf({ credentialSubject: subject }))
    await expectAbandoned(threadId, { ...credential, proof: await anyProof() })
  })

  test('that is nested deeper than what was offered', async () => {
    const { threadId, credential } = await requested()
    await expectAbandoned(threadId, {
      ...credential,
      credentialSubject: { id: SUBJECT, ...nested(2_000) },
      proof: await anyProof(),
    })
  })

  test('that is as deep as what was offered, and almost the same', async () => {
    const { threadId, credential } = await requested(
      credentialOf({ credentialSubject: { id: SUBJECT, ...nested(28) } }),
    )
    const text = JSON.stringify({ ...credential, proof: await anyProof() }).replace('"Bachelor"', '"Doctor"')
    await expectAbandoned(threadId, text)
  })

  /** Of another credential of the issuer. */
  const anyProof = async () => (await signing.signed(credentialOf(), issuer, { proofPurpose: 'assertionMethod' })).proof
})

test('a third party has no part in an exchange without a connection', async () => {
  const other = await createTenant(stage, 'Issuer')
  const { protocolVersion, credentialFormats } = offerBody('', SUBJECT)
  const { body: invited } = await stage.call('createOfferOob', {
    caller: other,
    body: { protocolVersion, credentialFormats, handshake: false, autoAcceptCredential: 'never' },
  })
  await stage.call('receiveInvitationUrl', { caller, body: { invitationUrl: invited.invitationUrl } })
  const threadId = invited.credentialRequestThId
  const [{ id }] = await exchangesOn(threadId)
  await stage.call('acceptCredentialOffer', { caller, body: { credentialRecordId: id } })
  const named = await inTenant(caller.tenantId, async ({ context }) => {
    const query = { associatedRecordId: id, messageName: 'request-credential' }
    const { message } = await context.resolve(DidCommMessageRepository).getSingleByQuery(context, query)
    return (message as Json)['~service'].recipientKeys[0]
  })
  const publicKey = TypedArrayEncoder.fromBase58(named)
  const route = {
    endpoint: `${stage.publicUrl}/didcomm/${caller.tenantId}`,
    recipientKeys: [Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'Ed25519', publicKey })],
    senderKey: await raw.newKey(),
  }
  for (const name of ['issue-credential', 'problem-report']) {
    const message = {
      '@type': `https://didcomm.org/issue-credential/2.0/${name}`,
      '@id': randomUUID(),
      '~thread': { thid: threadId },
      description: { code: 'issuance-abandoned', en: 'no' },
      formats: [{ attach_id: 'a', format: 'aries/ld-proof-vc@v1.0' }],
      'credentials~attach': attached(credentialOf()),
    }
    expect((await raw.send(message, route)).status).toBe(400)
  }
  expect(await exchangesOn(threadId)).toMatchObject([{ state: 'request-sent' }])
})

test('a credential comes for an exchange once', async () => {
  const { threadId, credential } = await requested()
  const signed = await signing.signed(credential, issuer, { proofPurpose: 'assertionMethod' })
  await issue(threadId, signed)
  const before = (await held()).length
  expect((await issue(threadId, signed)).status).toBe(400)
  expect(await held()).toHaveLength(before)
})

describe.each(['offer', 'propose'] as const)('an offer or a proposal is refused, and nothing is stored: %s', (kind) => {
  const DETAILS: [string, () => unknown][] = [
    ['of no credential', () => ({ options: OPTIONS })],
    ['without options', () => ({ credential: credentialOf() })],
    ['whose type of proof is not text', () => ({ credential: credentialOf(), options: { proofType: [1] } })],
    ['that is not an object', () => [1]],
    ['that is not JSON', () => '{'],
    ['that is nested too deep', () => ({ credential: credentialOf({ evidence: nested(40) }), options: OPTIONS })],
    [
      'that reaches into a prototype',
      () => JSON.stringify({ credential: credentialOf({ '@': 1 }), options: OPTIONS }).replace('"@":', '"__proto__":'),
    ],
    [
      'with a claim that libraries take for a class',
      () => ({ credential: credentialOf({ credentialSubject: { id: SUBJECT, constructor: 'x' } }), options: OPTIONS }),
    ],
    [
      'of very many values',
      () => ({ credential: credentialOf({ evidence: Array.from({ length: 20_001 }, () => 1) }), options: OPTIONS }),
    ],
  ]

  // Both are read by the same code.
  test.each(DETAILS.slice(0, kind === 'offer' ? undefined : 1))('%s', async (_, detail) => {
    const { threadId, status } = await sendOffer(detail(), [], kind)
    expect(status).toBe(400)
    expect(await exchangesOn(threadId)).toEqual([])
  })

  test('that is larger than a message may be', async () => {
    const credential = credentialOf({ credentialSubject: { id: SUBJECT, degree: 'x'.repeat(1_000_000) } })
    const { threadId, status } = await sendOffer({ credential, options: OPTIONS }, [], kind)
    expect(status).toBe(413)
    expect(await exchangesOn(threadId)).toEqual([])
  })
})

test('an offer of AnonCreds whose ids are no text is rejected', async () => {
  const caller = await createTenant(stage, 'Another')
  const { walletConnectionId: toOther } = await connect(stage, wallet, caller)
  for (const content of [
    { cred_def_id: [1], schema_id: {} },
    { cred_def_id: 'x'.repeat(5_000), schema_id: 's' },
  ]) {
    const answer = await raw.sendOn(toOther, {
      '@type': 'https://didcomm.org/issue-credential/2.0/offer-credential',
      '@id': randomUUID(),
      '~transport': { return_route: 'all' },
      credential_preview: {
        '@type': 'https://didcomm.org/issue-credential/2.0/credential-preview',
        attributes: [{ name: 'degree', value: 'Bachelor' }],
      },
      formats: [{ attach_id: 'a', format: 'anoncreds/credential-offer@v1.0' }],
      'offers~attach': attached(content),
    })
    expect(answer.status).toBe(400)
    expect((await stage.call('getCredentials', { caller })).body).toEqual([])
  }
})

describe('a credential that cannot be verified when it comes', () => {
  let passed = 0
  beforeEach(() => {
    host.status = 503
    passed = 0
  })

  /** Does what is due after another `age` ms. */
  const pass = async (age: number): Promise<void> => {
    await stage.line.pause()
    passed += age
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + passed })
    await stage.line.sweep()
    await stage.line.settle()
    vi.useRealTimers()
    stage.line.run()
  }

  /** A credential that was offered and requested, with a context that must be read. */
  const signedFor = async (changes: object = {}, autoAcceptCredential?: string) => {
    const exchange = await requested(credentialOf({ '@context': [CREDENTIALS_V1, address], ...changes }), OPTIONS, {
      ...(autoAcceptCredential && { autoAcceptCredential }),
    })
    // A context in full has the same statements.
    const inFull = { ...exchange.credential, '@context': [CREDENTIALS_V1, CONTEXT] }
    const { proof } = await signing.signed(inFull, issuer, { proofPurpose: 'assertionMethod' })
    return { ...exchange, signed: { ...exchange.credential, proof } }
  }
  const forged = (signed: Json): Json => ({
    ...signed,
    proof: { ...signed.proof, jws: `${signed.proof.jws.slice(0, -8)}AAAAAAAA` },
  })
  const accept = (credentialRecordId: string) =>
    stage.call('acceptCredential', { caller, body: { credentialRecordId } })
  const formData = async (credentialRecordId: string): Promise<Json> =>
    (await stage.call('getCredentialFormData', { caller, path: { credentialRecordId } })).body
  /** The types of messages that the issuer has got on a thread. */
  const told = (threadId: string): string[] =>
    wallet.journal.received.flatMap((one) => (one.threadId === threadId ? [one.type.split('/').at(-1) ?? ''] : []))

  /** It comes, and waits. */
  const keep = async (threadId: string, credential: Json): Promise<void> => {
    const before = (await held()).length
    expect(await issue(threadId, credential)).toEqual({ status: 200, body: '' })
    const reason = expect.stringMatching(/could not be read|2\d{3}-/)
    expect(await exchangesOn(threadId)).toMatchObject([
      { state: 'request-sent', credentials: [], metadata: { '_agent/unverified': { reason } } },
    ])
    expect(await held()).toHaveLength(before)
  }

  test('waits in its exchange, is not replaced, and is verified and acknowledged later', async () => {
    const { threadId, id, signed } = await signedFor()
    await keep(threadId, signed)
    expect((await issue(threadId, forged(signed))).status).toBe(400)
    expect(await formData(id)).not.toHaveProperty('credential')
    await pass(2 * 60_000)
    expect(await exchangesOn(threadId)).toMatchObject([{ state: 'request-sent' }])
    expect(told(threadId)).toEqual(['request-credential'])
    host.status = 200
    await pass(10 * 60_000)
    const [exchange] = await exchangesOn(threadId)
    expect(exchange).toMatchObject({ state: 'done', credentials: [{ credentialRecordType: 'w3c' }] })
    expect(exchange.metadata).not.toHaveProperty('_agent/unverified')
    expect((await held()).at(-1).credentialInstances).toEqual([{ credential: signed }])
    expect((await formData(id)).credential).toEqual({ jsonld: signed })
    await waitFor('the acknowledgement', () => told(threadId).includes('ack'))
  })

  test('waits for a call once it is verified, where that was asked', async () => {
    const { threadId, id, signed } = await signedFor({}, 'never')
    await keep(threadId, signed)
    host.status = 200
    await pass(60_000)
    expect(await exchangesOn(threadId)).toMatchObject([{ state: 'credential-received', credentials: [{}] }])
    expect(await accept(id)).toMatchObject({ status: 200, body: { state: 'done' } })
  })

  test('is verified by a call immediately, and not again by the job', async () => {
    const { threadId, id, signed } = await signedFor()
    await keep(threadId, signed)
    const refused = await accept(id)
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } })
    host.status = 200
    expect(await accept(id)).toMatchObject({ status: 200, body: { state: 'done', credentials: [{}] } })
    const before = (await held()).length
    await pass(60_000)
    expect(await held()).toHaveLength(before)
  })

  test.each(['job', 'call'])('is abandoned if its proof is not valid, and the issuer is told: %s', async (by) => {
    const { threadId, id, signed } = await signedFor()
    await keep(threadId, forged(signed))
    const before = (await held()).length
    host.status = 200
    if (by === 'job') await pass(60_000)
    else expect(await accept(id)).toMatchObject({ status: 200, body: { state: 'abandoned' } })
    const [exchange] = await exchangesOn(threadId)
    expect(exchange).toMatchObject({ state: 'abandoned', credentials: [], errorMessage: expect.any(String) })
    expect(exchange.metadata).not.toHaveProperty('_agent/unverified')
    expect(await held()).toHaveLength(before)
    expect(await formData(id)).not.toHaveProperty('credential')
    await waitFor('the report', () => told(threadId).includes('problem-report'))
  })

  test('is not verified any more once the issuer has ended the exchange', async () => {
    const { threadId, id, signed } = await signedFor()
    await keep(threadId, signed)
    const report = { '@type': 'https://didcomm.org/issue-credential/2.0/problem-report', description: { code: 'no' } }
    await send({ ...report, '~thread': { thid: threadId } })
    host.status = 200
    await pass(60_000)
    const [exchange] = await exchangesOn(threadId)
    expect(exchange).toMatchObject({ state: 'abandoned', credentials: [] })
    expect(exchange.metadata).not.toHaveProperty('_agent/unverified')
    expect((await accept(id)).status).toBe(409)
  })

  test('is not verified by itself after a day, and still by a call', async () => {
    const { threadId, id, signed } = await signedFor()
    host.requests = 0
    await keep(threadId, signed)
    for (let hour = 0; hour < 23; hour++) await pass(HOUR)
    expect(host.requests).toBeGreaterThan(3)
    await pass(2 * HOUR)
    const { requests } = host
    await pass(24 * HOUR)
    expect(host.requests).toBe(requests)
    expect(await exchangesOn(threadId)).toMatchObject([
      { state: 'request-sent', metadata: { '_agent/unverified': {} } },
    ])
    host.status = 200
    expect(await accept(id)).toMatchObject({ status: 200, body: { state: 'done' } })
  })

  test('because its date is in the future, is verified then', async () => {
    const issuanceDate = inHours(20)
    const { threadId, id, signed } = await signedFor({ issuanceDate })
    host.status = 200
    await keep(threadId, signed)
    expect(await accept(id)).toMatchObject({ status: 409, body: { message: expect.stringContaining(issuanceDate) } })
    await pass(19 * HOUR)
    expect(await exchangesOn(threadId)).toMatchObject([{ state: 'request-sent' }])
    await pass(1.1 * HOUR)
    expect(await exchangesOn(threadId)).toMatchObject([{ state: 'done', credentials: [{}] }])
  })

  test('without a connection, is verified and acknowledged at its date', async () => {
    const other = await createTenant(stage, 'Issuer')
    const { protocolVersion, credentialFormats } = offerBody('', SUBJECT)
    const { credential, options } = credentialFormats.jsonld
    const jsonld = { credential: { ...credential, issuanceDate: inHours(5) }, options }
    const body = { protocolVersion, credentialFormats: { jsonld }, handshake: false }
    const { body: invited } = await stage.call('createOfferOob', { caller: other, body })
    await stage.call('receiveInvitationUrl', { caller, body: { invitationUrl: invited.invitationUrl } })
    const [{ id }] = await exchangesOn(invited.credentialRequestThId)
    await stage.call('acceptCredentialOffer', { caller, body: { credentialRecordId: id } })
    await settled(stage)
    const exchanges = () => exchangesOn(invited.credentialRequestThId)
    expect(await exchanges()).toMatchObject([{ state: 'request-sent', metadata: { '_agent/unverified': {} } }])
    await pass(6 * HOUR)
    expect(await exchanges()).toMatchObject([{ state: 'done', credentials: [{}] }])
    const query = { threadId: invited.credentialRequestThId }
    expect((await stage.call('getCredentials', { caller: other, query })).body).toMatchObject([{ state: 'done' }])
  })

  test('is not acknowledged where the connection has ended meanwhile', async () => {
    const { threadId, signed } = await signedFor()
    await keep(threadId, signed)
    const [{ connectionId }] = await exchangesOn(threadId)
    host.status = 200
    await stage.call('deleteConnection', { caller, path: { connectionId } })
    await pass(60_000)
    expect(await exchangesOn(threadId)).toMatchObject([{ state: 'credential-received', credentials: [{}] }])
  })
})
