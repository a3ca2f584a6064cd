/** What a wallet writes into a presentation submission: paths that would run, search or reach elsewhere. */
import { existsSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { MAX_LINEAR_MS, processorTime } from '../support/processor-time.ts'
import { createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { askForProof, CREDENTIALS_V1, issue, present, submissionOf } from '../support/wallets/presentations.ts'

const presentationDefinition: Json = {
  id: 'anything',
  input_descriptors: [{ id: 'one', constraints: { fields: [{ path: ['$.credentialSubject.id'] }] } }],
}

const stage = await useStage()
const caller = await createTenant(stage)
const holder = await useWallet({ label: 'Holder', answerProofs: false })
const credential = await issue(holder, { '@context': [CREDENTIALS_V1], credentialSubject: { id: holder.did } })

/** Presents the credential with another submission. Everything is signed, so that only the submission is to blame. */
const submitted = async (submission: Json, presentation: Json = {}) => {
  const asked = await askForProof(stage, caller, holder, { presentationDefinition })
  const more = { presentation_submission: submission, ...presentation }
  const signed = await present(holder, [credential], { challenge: asked.challenge, more })
  return { proof: await asked.answer(signed), answer: asked.answers[0] }
}

const withPath = (path: string): Json => submissionOf(presentationDefinition, [path])

test('a path that leads to the credential is accepted, also by way of the presentation', async () => {
  expect((await submitted(withPath('$.verifiableCredential[0]'))).proof).toMatchObject({ isVerified: true })
  const nested = withPath('$')
  nested.descriptor_map[0].path_nested = { id: 'one', format: 'ldp_vc', path: "$['verifiableCredential'][0]" }
  expect((await submitted(nested)).proof).toMatchObject({ isVerified: true })
})

const MARKER = `${process.cwd()}/.data/a-wallet-was-here`
const SCRIPT = `require('fs').writeFileSync(${JSON.stringify(MARKER)}, '')`

describe('rejected with a problem report, and without looking at the presentation:', () => {
  test.each([
    ['a script', `$[(this.constructor.constructor(${JSON.stringify(`process.mainModule.${SCRIPT}`)})())]`],
    ['a search', '$..verifiableCredential[0]'],
  ])('%s', async (_, path) => {
    rmSync(MARKER, { force: true })
    const { proof, answer } = await submitted(withPath(path))
    expect(proof).toMatchObject({
      isVerified: false,
      state: 'abandoned',
      errorMessage: expect.stringMatching(/submission/),
    })
    expect(proof.presentation).toBeUndefined()
    expect(answer?.message).toMatchObject({ '@type': expect.stringContaining('present-proof/2.0/problem-report') })
    expect(existsSync(MARKER)).toBe(false)
  })

  test('a nested path that is a script', async () => {
    const submission = withPath('$')
    submission.descriptor_map[0].path_nested = { format: 'ldp_vc', path: '$[?(@.constructor)]' }
    expect((await submitted(submission)).proof).toMatchObject({ isVerified: false, state: 'abandoned' })
  })

  test.each<[string, Json]>([
    ['no descriptor', { ...withPath('$'), descriptor_map: [] }],
    ['text', 'submission'],
    ['nothing', null],
  ])('%s', async (_, submission) => {
    expect((await submitted(submission)).proof).toMatchObject({ isVerified: false, state: 'abandoned' })
  })
})

describe('not met by', () => {
  test.each([
    ['a part of a credential', '$.verifiableCredential[0].credentialSubject'],
    ['what a list inherits', '$.verifiableCredential.length'],
  ])('%s', async (_, path) => {
    const { proof } = await submitted(withPath(path))
    expect(proof).toMatchObject({ isVerified: false, errorMessage: expect.stringContaining('leads to no credential') })
  })

  test('a submission for a descriptor that is not in the definition', async () => {
    const unknown = withPath('$.verifiableCredential[0]')
    unknown.descriptor_map[0].id = 'two'
    expect((await submitted(unknown)).proof).toMatchObject({ isVerified: false })
  })
})

test.each([33, 4_000])(
  'a presentation that is nested %i levels deep is rejected before a library reads it',
  async (levels) => {
    const asked = await askForProof(stage, caller, holder, { presentationDefinition })
    const deep = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
    const spent = processorTime()
    const proof = await asked.answer({ ...deep, presentation_submission: withPath('$') })
    expect(proof).toMatchObject({
      state: 'abandoned',
      isVerified: false,
      errorMessage: expect.stringMatching(/nested too deep/),
    })
    expect(asked.answers[0]?.message).toMatchObject({ '@type': expect.stringMatching(/problem-report$/) })
    expect(spent()).toBeLessThan(MAX_LINEAR_MS)
  },
)
