/** Signatures that no library would make: keys used for what they are not listed for, and ambiguous proofs. */
import { DidDocument, didDocumentToNumAlgo4Did, Kms, TypedArrayEncoder } from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import { MAX_LINEAR_MS, processorTime } from '../support/processor-time.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import {
  DEGREE_CONTEXTS,
  degreeDefinition,
  HandSigning,
  JWS_HEADER,
  keySigner,
  peerSigner,
  type Signer,
} from '../support/wallets/hand-signed.ts'
import { askForProof } from '../support/wallets/presentations.ts'

const { stage, caller, wallet } = await useTenantAndWallet()
const byHand = new HandSigning(wallet)

const ask = (options: Json = {}) =>
  askForProof(stage, caller, wallet, {
    presentationDefinition: degreeDefinition,
    options: { contexts: DEGREE_CONTEXTS, ...options },
  })

const presented = async (
  holder: Signer,
  credential: Json,
  proof: Json = {},
  alter: (presentation: Json) => Json = (presentation) => presentation,
): Promise<Json> => {
  const { challenge, answer } = await ask()
  return answer(alter(await byHand.presentation(holder, credential, { challenge, ...proof })))
}

const shown = (proof: Json): Json => proof.presentation?.presentationExchange?.verifiableCredential?.[0]

const expectRejected = (proof: Json, reason: RegExp): void => {
  expect(proof).toMatchObject({ isVerified: false, state: 'abandoned', errorMessage: expect.stringMatching(reason) })
}

describe('a key signs for its listed purpose', () => {
  test('also where its document has it in the list only, as that of a did:peer:2', async () => {
    const holder = peerSigner('V')
    const proof = await presented(holder, await byHand.credential(peerSigner('A'), holder.did))
    expect(proof).toMatchObject({ isVerified: true, state: 'done' })
    expect(shown(proof).credentialSubject).toEqual({ id: holder.did, degree: 'Bachelor' })
  })

  test.each<[string, () => Signer, () => Signer, RegExp]>([
    ['a credential with a key for authentication', () => peerSigner('V'), keySigner, /not authorized.*assertionMethod/],
    ['a presentation with a key for assertions', keySigner, () => peerSigner('A'), /not authorized.*authentication/],
  ])('and not %s', async (_, newIssuer, newHolder, reason) => {
    const holder = newHolder()
    expectRejected(await presented(holder, await byHand.credential(newIssuer(), holder.did)), reason)
  })

  test.each([
    ['a credential as an authentication', 'authentication', 'authentication'],
    ['a presentation as an assertion', 'assertionMethod', 'assertionMethod'],
  ])('and not %s', async (_, credentialPurpose, proofPurpose) => {
    const holder = keySigner()
    const credential = await byHand.credential(keySigner(), holder.did, credentialPurpose)
    expectRejected(await presented(holder, credential, { proofPurpose }), /insufficient proofs/)
  })
})

test.each([
  ['is verified', 'verifier.example', { isVerified: true, state: 'done' }],
  ['that is another is rejected', 'thief.example', { isVerified: false, state: 'abandoned' }],
  ['that is missing is rejected', undefined, { isVerified: false, state: 'abandoned' }],
])('a domain that was asked for %s', async (_, domain, expected) => {
  const { challenge, answer } = await ask({ domain: 'verifier.example' })
  const holder = keySigner()
  const credential = await byHand.credential(keySigner(), holder.did)
  expect(
    await answer(await byHand.presentation(holder, credential, { challenge, ...(domain && { domain }) })),
  ).toMatchObject(expected)
})

test("the members of a signature's header are in any order", async () => {
  const holder = keySigner()
  const header = Object.fromEntries(Object.entries(JWS_HEADER).toReversed())
  const credential = await byHand.credential(keySigner(), holder.did, undefined, header)
  expect(await presented(holder, credential)).toMatchObject({ isVerified: true })
})

describe('a credential is not verified whose issuer has signed it with', () => {
  const refused = /not a JWS of its suite/

  test.each<[string, Json]>([
    ['a member more in the header', { ...JWS_HEADER, kid: 'a' }],
    ['no algorithm, and a member more', { ...JWS_HEADER, alg: 'none', kid: 'a' }],
    ['no algorithm', { ...JWS_HEADER, alg: 'none' }],
    ['a payload in base64', { ...JWS_HEADER, b64: true }],
    ['a member less', { alg: 'EdDSA', b64: false }],
    ['another critical extension', { ...JWS_HEADER, crit: ['b64', 'exp'], exp: 0 }],
    ['a header that is a list', [JWS_HEADER]],
  ])('%s', async (_, header) => {
    const holder = keySigner()
    const credential = await byHand.credential(keySigner(), holder.did, undefined, header)
    expectRejected(await presented(holder, credential), refused)
  })

  test.each<[string, (jws: string) => string]>([
    ['a payload', (jws) => jws.replace('..', '.e30.')],
    ['a part more', (jws) => `${jws}.e30`],
  ])('%s', async (_, alter) => {
    const holder = keySigner()
    const { proof, ...credential } = await byHand.credential(keySigner(), holder.did)
    expectRejected(await presented(holder, { ...credential, proof: { ...proof, jws: alter(proof.jws) } }), refused)
  })
})

describe("a credential is not verified where the thief's DID document", () => {
  test.each<[string, (victim: Signer) => Json, (did: string, victim: Signer) => string, RegExp]>([
    [
      'has a key whose controller is the subject',
      ({ did }) => ({ id: '#a', controller: did }),
      (did) => `${did}#a`,
      /the key did:peer:4/,
    ],
    [
      "has a key with the id of the subject's, which the proof names",
      ({ method }) => ({ id: method }),
      (_, { method }) => method,
      /Invalid signature/,
    ],
    [
      "has a key with the id of the subject's, of which the proof names the fragment",
      ({ method, did }) => ({ id: method, controller: did }),
      (did, { fingerprint }) => `${did}#${fingerprint}`,
      /Unable to locate/,
    ],
  ])('%s', async (_, methodOf, nameOf, reason) => {
    const [victim, thief] = [keySigner(), keySigner()]
    const key = {
      type: 'Ed25519VerificationKey2020',
      publicKeyMultibase: thief.fingerprint,
      controller: '#id',
      ...methodOf(victim),
    }
    const json = { '@context': ['https://www.w3.org/ns/did/v1'], verificationMethod: [key], authentication: [key.id] }
    const document = Object.assign(new DidDocument({ id: 'did:peer:4' }), { toJSON: () => structuredClone(json) })
    const { longFormDid: did } = didDocumentToNumAlgo4Did(document)
    const signer = { ...thief, did, method: nameOf(did, victim) }
    expectRejected(await presented(signer, await byHand.credential(keySigner(), victim.did)), reason)
  })
})

test.each<[string, object, object]>([
  ['is to expire', { expires: '2099-01-01T00:00:00Z' }, { isVerified: true, state: 'done' }],
  ['has expired', { expires: '2026-01-02T00:00:00Z' }, { isVerified: false, state: 'abandoned' }],
  ['has an invalid expiry', { expires: 'soon' }, { isVerified: false, state: 'abandoned' }],
  ['is revoked', { revoked: '2026-01-02T00:00:00Z' }, { isVerified: false, state: 'abandoned' }],
])('a credential of an issuer whose document has a key that %s: %j, %j', async (_, more, judgement) => {
  const [signer, holder] = [keySigner(), keySigner()]
  const { publicKey } = Kms.PublicJwk.fromFingerprint(signer.fingerprint).publicKey as { publicKey: Uint8Array }
  const key = {
    ...{ id: '#key', type: 'Ed25519VerificationKey2018', controller: '#id' },
    publicKeyBase58: TypedArrayEncoder.toBase58(publicKey),
    ...more,
  }
  const json = { '@context': ['https://www.w3.org/ns/did/v1'], verificationMethod: [key], assertionMethod: ['#key'] }
  const document = Object.assign(new DidDocument({ id: 'did:peer:4' }), { toJSON: () => structuredClone(json) })
  const { longFormDid: did } = didDocumentToNumAlgo4Did(document)
  const credential = await byHand.credential({ ...signer, did, method: `${did}#key` }, holder.did)
  expect(await presented(holder, credential)).toMatchObject(judgement)
})

test.each<[string, (theirs: string, ours: string) => Json]>([
  ['beside ours', (theirs, ours) => ({ challenge: ours, 'https://w3id.org/security#challenge': theirs })],
  ['behind ours in a list', (theirs, ours) => ({ challenge: [ours, theirs] })],
  ['nested', (theirs, ours) => ({ challenge: ours, '@nest': { challenge: theirs } })],
  [
    'as a value, and ours included',
    (theirs, ours) => ({ challenge: { '@value': theirs }, '@included': { challenge: ours } }),
  ],
])("a presentation for another verifier is not verified with that one's challenge %s", async (_, spoil) => {
  const holder = keySigner()
  const challenge = 'of another verifier'
  const stolen = await byHand.presentation(holder, await byHand.credential(keySigner(), holder.did), { challenge })
  const asked = await ask()
  const spoilt = { ...stolen, proof: { ...stolen.proof, ...spoil(challenge, asked.challenge) } }
  expectRejected(await asked.answer(spoilt), /not valid/)
})

describe('a proof that its signer has limited in time', () => {
  const EXPIRED = '2026-01-02T00:00:00Z'
  const presentedWith = async (proof: Json, alter = (signed: Json): Json => signed): Promise<Json> => {
    const [issuer, holder] = [keySigner(), keySigner()]
    const { proof: _, ...unsigned } = await byHand.credential(issuer, holder.did)
    const credential = alter(await byHand.signed(unsigned, issuer, { proofPurpose: 'assertionMethod', ...proof }))
    const { challenge, answer } = await ask()
    return answer(await byHand.presentation(holder, credential, { challenge }))
  }

  test('is verified before that time', async () => {
    expect(await presentedWith({ expires: '2099-01-01T00:00:00Z' })).toMatchObject({ isVerified: true })
  })

  test('is not verified afterwards', async () => {
    expectRejected(await presentedWith({ expires: EXPIRED }), /a proof has expired/)
  })

  test('is not verified with an invalid time', async () => {
    expectRejected(await presentedWith({ expires: 'soon' }), /a proof has expired/)
  })

  test('is not verified afterwards by another name for it', async () => {
    const typed = { '@value': EXPIRED, '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' }
    const renamed = ({ proof: { expires: _, ...proof }, ...signed }: Json): Json => ({
      ...signed,
      proof: { ...proof, 'https://w3id.org/security#expiration': typed },
    })
    expectRejected(await presentedWith({ expires: EXPIRED }, renamed), /a proof has expired/)
  })
})

test.each<[string, Json]>([
  ['an index of a value', { degree: { '@value': 'Bachelor', '@index': 'Professor' } }],
  ['an index of the subject', { degree: 'Bachelor', '@index': 'Professor' }],
  ['a null', { degree: 'Bachelor', 'https://example.org/Professor': null }],
  ['a repetition', { degree: ['Bachelor', 'Bachelor'] }],
  ['a nest', { '@nest': { degree: 'Bachelor' } }],
])('unsigned members of the JSON of a credential are not shown: %s', async (_, claims) => {
  const holder = keySigner()
  const credential = await byHand.credential(keySigner(), holder.did)
  const proof = await presented(holder, { ...credential, credentialSubject: { id: holder.did, ...claims } })
  expect(proof).toMatchObject({ isVerified: true, state: 'done' })
  expect(shown(proof).credentialSubject).toEqual({ id: holder.did, degree: 'Bachelor' })
  expect(JSON.stringify(proof.presentation)).not.toContain('Professor')
})

describe('blank nodes that refer to each other are rejected in less than a second', () => {
  const ids = Array.from({ length: 8 }, (_, one) => `_:n${one}`)
  const nodes = ids.map((id) => ({
    '@id': id,
    'https://example.org/knows': ids.filter((other) => other !== id).map((other) => ({ '@id': other })),
  }))
  const knotted = (object: Json): Json => ({ ...object, 'https://example.org/knot': nodes })

  test.each<[string, (presentation: Json) => Json]>([
    ['the presentation', knotted],
    ['its proof', (presentation) => ({ ...presentation, proof: knotted(presentation.proof) })],
    [
      'the proof of a credential',
      ({ verifiableCredential: [credential], ...presentation }) => ({
        ...presentation,
        verifiableCredential: [{ ...credential, proof: knotted(credential.proof) }],
      }),
    ],
  ])('in %s', async (_, alter) => {
    const holder = keySigner()
    const { challenge, answer } = await ask()
    const credential = await byHand.credential(keySigner(), holder.did)
    const hostile = alter(await byHand.presentation(holder, credential, { challenge }))
    const spent = processorTime()
    const proof = await answer(hostile)
    expect(spent()).toBeLessThan(MAX_LINEAR_MS)
    expectRejected(proof, /blank nodes/)
  })
})

const badges = 'https://purl.imsglobal.org/spec/ob/v3p0/context.json'

test.each<[string, (contexts: string[]) => string[]]>([
  ['behind', (contexts) => [...contexts, badges]],
  ['before', ([first = '', ...others]) => [first, badges, ...others]],
])('a context that a holder adds %s the others is no schema of the credential', async (_, added) => {
  const [descriptor] = degreeDefinition.input_descriptors
  const [issuer, holder] = [keySigner(), keySigner()]
  const signed = await byHand.credential(issuer, holder.did)
  const { challenge, answer } = await askForProof(stage, caller, wallet, {
    presentationDefinition: {
      ...{ id: 'degree', input_descriptors: [{ ...descriptor, schema: [{ uri: badges }] }] },
    },
    options: { contexts: DEGREE_CONTEXTS },
  })
  const credential = { ...signed, '@context': added(signed['@context']) }
  expectRejected(await answer(await byHand.presentation(holder, credential, { challenge })), /schema/)
})
