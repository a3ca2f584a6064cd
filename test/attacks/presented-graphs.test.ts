/** What a presentation makes its verifier compute: a holder signs any graph, and issues itself the credential. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { processorTime } from '../support/processor-time.ts'
import { createTenant } from '../support/scenes.ts'
import { type InProcessStage, type Json, startInProcessStage } from '../support/stage/in-process-stage.ts'
import { DEGREE_CONTEXTS, HandSigning, keySigner } from '../support/wallets/hand-signed.ts'
import { askForProof, CREDENTIALS_V1 } from '../support/wallets/presentations.ts'
import { Wallet } from '../wallet/wallet.ts'

const SCHEMA_ORG = 'http://schema.org/'

/** In ms, of the whole process: that of the wallet too. */
const MAX_CPU = 3_000

let stage: InProcessStage
let wallet: Wallet
let tenant: { tenantId: string }
let signing: HandSigning

beforeAll(async () => {
  stage = await startInProcessStage()
  stage.line.run()
  wallet = await Wallet.start()
  tenant = await createTenant(stage)
  signing = new HandSigning(wallet)
})
afterAll(async () => {
  await wallet.stop()
  await stage.stop()
})

const contexts = [CREDENTIALS_V1, ...Object.keys(DEGREE_CONTEXTS), SCHEMA_ORG]

/** It asks for a credential about anybody. The ids are those of `HandSigning.presentation`. */
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

/** Each node refers to the next one twice: what the last one says is shown 2^levels times. */
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
    expect(cpu).toBeLessThan(MAX_CPU)
  })

  test('may be referred to twice', async () => {
    const knows = doubling(3, 'a friend of friends')
    const { proof } = await presented((id) => ({ id, degree: 'Bachelor', knows }))
    expect(proof).toMatchObject({ state: 'done', isVerified: true })
  })

  test('lies in 32 others at most', async () => {
    const knows = count(100, (index) => ({
      '@id': `_:n${index}`,
      knows: { '@id': `_:n${index + 1}` },
      name: String(index),
    }))
    const { proof } = await presented((id) => ({ id, degree: 'Bachelor', knows }))
    expect(proof).toMatchObject({ isVerified: false, errorMessage: expect.stringMatching(/in each other/) })
  })
})

test('thousands of values of one property are compared for seconds by nobody', async () => {
  const name = count(2_500, String)
  const { proof, cpu } = await presented((id) => ({ id, degree: 'Bachelor', name }))
  expect(proof).toMatchObject({ isVerified: false, errorMessage: expect.stringMatching(/too many statements/) })
  expect(cpu).toBeLessThan(MAX_CPU)
})

test('hundreds of subjects in a large vocabulary are read, and its terms sorted once', async () => {
  const { proof, cpu } = await presented((id) => [
    { id, degree: 'Bachelor' },
    ...count(600, (index) => ({ id: `urn:subject:${index}`, name: 'x' })),
  ])
  expect(proof).toMatchObject({ state: 'done', isVerified: true })
  expect(cpu).toBeLessThan(MAX_CPU)
})
