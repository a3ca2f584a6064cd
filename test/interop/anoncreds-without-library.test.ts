/** AnonCreds in a deployment without the native library. */
import { expect, test, vi } from 'vitest'
import { askForAnonCreds, WAYS, type Way } from '../support/anoncreds/asked-presentations.ts'
import { anonCredsRequest, createTenant } from '../support/scenes.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'

vi.mock('../../lib/agent/formats/anoncreds/library.ts', async (original) => ({
  ...(await original<typeof import('../../lib/agent/formats/anoncreds/library.ts')>()),
  isAnonCredsAvailable: () => false,
}))

const stage = await useStage()
const wallet = await useWallet({ answerProofs: false })

test.each(Object.keys(WAYS) as Way[])(
  'a presentation by %s is kept unjudged, can not be accepted, and is abandoned after a day in which nobody brings the library',
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
    await stage.line.pause()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60_000 })
    await stage.line.sweep()
    await stage.line.settle()
    vi.useRealTimers()
    stage.line.run()
    const { body } = await stage.call('getProofById', { caller, path })
    expect(body).toMatchObject({ state: 'abandoned', errorMessage: expect.stringContaining('library') })
    expect(body).not.toHaveProperty('isVerified')
  },
)
