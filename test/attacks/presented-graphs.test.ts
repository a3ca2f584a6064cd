/** What a presentation makes its verifier compute: a holder signs any graph, and issues itself the credential. */
import { describe, expect, test } from 'vitest'
import { MAX_LINEAR_MS, processorTime } from '../support/processor-time.ts'
import { createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { DEGREE_CONTEXTS, HandSigning, keySigner } from '../support/wallets/hand-signed.ts'
import { askForProof, CREDENTIALS_V1, submissionOf } from '../support/wallets/presentations.ts'

const SCHEMA_ORG = 'http://schema.org/'

const stage = await useStage()
const wallet = await useWallet()
const tenant = await createTenant(stage)
const signing = new HandSigning(wallet)

const contexts = [CREDENTIALS_V1, ...Object.keys(DEGREE_CONTEXTS), SCHEMA_ORG]

/** It asks for a credential of any subject. The ids are those of `HandSigning.presentation`. */
const presentationDefinition = {
  id: 'degree',
  input_descriptors: [{ id: 'degree', constraints: { fields: [{ path: ['$.credentialSubject'] }] } }],
}

/** Answers a request with a credential about what `subjectsOf` makes of the holder's DID. Returns the proof, and what it cost. */
const presented = async (subjectsOf: (holder: string) => unknown): Promise<{ proof: Json; cpu: number }> => {
  const asked = await askForProof(stage, tenant, wallet, {
    presentationDefinition,
    options: { contexts: DEGREE_CONTEXTS },
  })
  const holder = keySigner()
  const credential = {
    '@context': contexts,
    type: ['VerifiableCredential'],
    issuer: holder.did,
    issuanceDate: '2026-01-01T00:00:00Z',
    credentialSubject: subjectsOf(holder.did),
  }
  const signed = await signing.signed(credential, holder, { proofPurpose: 'assertionMethod' })
  const presentation = await signing.presentation(holder, signed, { challenge: asked.challenge })
  const cpu = processorTime()
  const proof = await asked.answer(presentation)
  return { proof, cpu: cpu() }
}

const count = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index))

/** Each node refers to the next one twice: the last one is shown 2^levels times. */
const doubling = (levels: number, text: string) => [
  ...count(levels, (index) => {
    const next = { '@id': `_:n${index + 1}` }
    return { '@id': `_:n${index}`, knows: next, sibling: next }
  }),
  { '@id': `_:n${levels}`, description: text },
]

describe('a blank node', () => {
  test.each([
    ['a short text, in 14 levels', 14, 100],
    ['a long text, in 11 levels', 11, 100_000],
  ])('that is referred to again and again is not shown everywhere: %s', async (_, levels, length) => {
    const knows = doubling(levels, 'x'.repeat(length))
    const { proof, cpu } = await presented((id) => ({ id, degree: 'Bachelor', knows }))
    expect(proof).toMatchObject({
      state: 'abandoned',
      isVerified: false,
      errorMessage: expect.stringMatching(/too large/),
    })
    expect(cpu).toBeLessThan(MAX_LINEAR_MS)
  })

  test('may be referred to twice', async () => {
    const knows = doubling(3, 'a friend of friends')
    const { proof } = await presented((id) => ({ id, degree: 'Bachelor', knows }))
    expect(proof).toMatchObject({ state: 'done', isVerified: true })
  })

  test('is nested in at most 32 others', async () => {
    const knows = count(100, (index) => ({
      '@id': `_:n${index}`,
      knows: { '@id': `_:n${index + 1}` },
      name: String(index),
    }))
    const { proof } = await presented((id) => ({ id, degree: 'Bachelor', knows }))
    expect(proof).toMatchObject({ isVerified: false, errorMessage: expect.stringMatching(/nested nodes/) })
  })
})

test('thousands of values of one property are rejected before they are compared', async () => {
  const name = count(2_500, String)
  const { proof, cpu } = await presented((id) => ({ id, degree: 'Bachelor', name }))
  expect(proof).toMatchObject({ isVerified: false, errorMessage: expect.stringMatching(/too many statements/) })
  expect(cpu).toBeLessThan(MAX_LINEAR_MS)
})

test.each<[string, Json, RegExp]>([
  ['thousands of nodes without statements', count(9_000, () => ({})), /too many statements/],
  [
    'a long name of a property, which each of its values repeats',
    { [`urn:${'property'.repeat(15_000)}`]: count(3_000, String) },
    /repeat long IRIs/,
  ],
  [
    'a long name of a subject that has many properties',
    {
      knows: {
        '@id': `urn:${'x'.repeat(4_000)}`,
        'urn:p': count(2_000, String),
      },
    },
    /repeat long IRIs/,
  ],
])('%s cost little', async (_, credentialSubject, reason) => {
  const asked = await askForProof(stage, tenant, wallet, {
    presentationDefinition,
    options: {
      contexts: { 'https://contexts.example/knows/v1': { '@context': { knows: 'https://example.org/knows' } } },
    },
  })
  const { did, method } = keySigner()
  const proof = {
    ...{ type: 'Ed25519Signature2018', verificationMethod: method, created: '2026-01-01T00:00:00Z', jws: 'x' },
    ...{ proofPurpose: 'authentication', challenge: asked.challenge },
  }
  const credential = {
    '@context': [CREDENTIALS_V1, 'https://contexts.example/knows/v1'],
    type: ['VerifiableCredential'],
    issuer: did,
    issuanceDate: '2026-01-01T00:00:00Z',
    credentialSubject,
    proof,
  }
  const cpu = processorTime()
  const refused = await asked.answer({
    '@context': [CREDENTIALS_V1, 'https://identity.foundation/presentation-exchange/submission/v1'],
    type: ['VerifiablePresentation', 'PresentationSubmission'],
    verifiableCredential: [credential],
    presentation_submission: submissionOf(presentationDefinition),
    proof,
  })
  expect(refused).toMatchObject({ isVerified: false, errorMessage: expect.stringMatching(reason) })
  expect(cpu()).toBeLessThan(MAX_LINEAR_MS)
})

test('thousands of schemas without an id are one reason, not as long as all of them', async () => {
  const asked = await askForProof(stage, tenant, wallet, { presentationDefinition })
  const refused = await asked.answer({
    '@context': [CREDENTIALS_V1],
    type: ['VerifiablePresentation'],
    verifiableCredential: [
      {
        ...{ '@context': [CREDENTIALS_V1], type: ['VerifiableCredential'], issuer: 'did:key:z6Mk', proof: {} },
        ...{ issuanceDate: '2026-01-01T00:00:00Z', credentialSubject: {}, credentialSchema: count(9_000, () => ({})) },
      },
    ],
    presentation_submission: submissionOf(presentationDefinition),
    proof: {},
  })
  expect(refused).toMatchObject({ state: 'abandoned', isVerified: false })
  expect(refused.errorMessage.length).toBeLessThan(1_000)
})

test('hundreds of subjects in a large vocabulary are read, and its terms sorted once', async () => {
  const { proof, cpu } = await presented((id) => [
    { id, degree: 'Bachelor' },
    ...count(600, (index) => ({ id: `urn:subject:${index}`, name: 'x' })),
  ])
  expect(proof).toMatchObject({ state: 'done', isVerified: true })
  expect(cpu).toBeLessThan(MAX_LINEAR_MS)
})
