/** AnonCreds in a deployment without the native library. */
import { expect, test, vi } from 'vitest'
import { anonCredsUnavailable } from '../../lib/anoncreds-library.ts'
import { askForAnonCreds, WAYS, type Way } from '../support/anoncreds/asked-presentations.ts'
import { anonCredsRequest, createTenant } from '../support/scenes.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'

vi.mock('../../lib/agent/formats/anoncreds/library.ts', async (original) => ({
  ...(await original<typeof import('../../lib/agent/formats/anoncreds/library.ts')>()),
  assertAnonCredsLoads: () => {
    throw anonCredsUnavailable()
  },
  isAnonCredsAvailable: () => false,
}))

const stage = await useStage()
const wallet = await useWallet({ answerProofs: false })
const DAY = 24 * 60 * 60_000

/** Does what is due after `age` (ms). */
const pass = async (age: number): Promise<void> => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + age })
  await stage.line.sweep()
  await stage.line.settle()
  vi.useRealTimers()
}

test.each(Object.keys(WAYS) as Way[])(
  'a presentation by %s waits unjudged, can not be accepted, and ends with the command that brings the library',
  async (way) => {
    const caller = await createTenant(stage)
    const { requested_attributes, requested_predicates } = anonCredsRequest
    const asking = await askForAnonCreds(stage, caller, wallet, { requested_attributes, requested_predicates }, way)
    const proof = await asking.answer({})
    expect(proof).toMatchObject({ state: 'presentation-received', connectionId: expect.any(String) })
    expect(proof).not.toHaveProperty('isVerified')
    expect(proof.presentation).toEqual({ [WAYS[way].asked]: {} })
    const path = { proofRecordId: proof.id }
    expect(await stage.call('acceptPresentation', { caller, path })).toMatchObject({
      status: 409,
      body: { error: 'Conflict', message: 'the presentation is not verified yet' },
    })
    await pass(2 * DAY)
    const { body } = await stage.call('getProofById', { caller, path })
    expect(body).toMatchObject({ state: 'abandoned', errorMessage: expect.stringContaining('npm run anoncreds') })
    expect(body).not.toHaveProperty('isVerified')
  },
)
