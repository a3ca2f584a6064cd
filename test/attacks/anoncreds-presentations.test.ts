/** AnonCreds presentations of a wallet that lies: refused with a reason, and never verified. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askForAnonCreds, publish, WAYS, type Way } from '../support/anoncreds/asked-presentations.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { ATTACKS, HONEST, publishedByAll } from '../support/anoncreds/presentation-attacks.ts'
import { createTenant } from '../support/scenes.ts'
import { type Caller, type InProcessStage, startInProcessStage } from '../support/stage/in-process-stage.ts'
import { Wallet } from '../wallet/wallet.ts'

let stage: InProcessStage
let caller: Caller & { tenantId: string }
let wallet: Wallet

const ways = Object.keys(WAYS) as Way[]

describeWithLibrary('a presentation of AnonCreds', () => {
  beforeAll(async () => {
    await publish(publishedByAll())
    stage = await startInProcessStage()
    stage.line.run()
    caller = await createTenant(stage)
    wallet = await Wallet.start({ answerProofs: false })
  })
  afterAll(async () => {
    await wallet.stop()
    await stage.stop()
  })

  test.each(HONEST)('is verified: $name', async ({ asked, answer }) => {
    const asking = await askForAnonCreds(stage, caller, wallet, asked)
    const proof = await asking.answer(answer(asking.request))
    expect(proof).toMatchObject({ state: 'done', isVerified: true })
    expect(proof.errorMessage).toBeUndefined()
  })

  test.each(ATTACKS)('is not verified: $name', async ({ asked, answer, says }) => {
    const asking = await askForAnonCreds(stage, caller, wallet, asked)
    const proof = await asking.answer(answer(asking.request))
    expect(proof).toMatchObject({ state: 'abandoned', isVerified: false, errorMessage: says })
    expect(asking.answers[0]?.message).toMatchObject({ '@type': expect.stringContaining('problem-report') })
  })

  test.each(ways)('by %s is verified, and refused where it lies', async (way) => {
    const [honest] = HONEST
    const lie = ATTACKS.find(({ name }) => name === 'a weaker predicate')
    if (honest === undefined || lie === undefined) throw new Error('there is nothing to present')
    const asking = await askForAnonCreds(stage, caller, wallet, honest.asked, way)
    const presentation = honest.answer(asking.request)
    const proof = await asking.answer(presentation)
    expect(proof).toMatchObject({ state: 'done', isVerified: true })
    expect(proof.presentation).toEqual({ [WAYS[way].asked]: presentation })

    const askingAgain = await askForAnonCreds(stage, caller, wallet, lie.asked, way)
    const lied = lie.answer(askingAgain.request)
    const refused = await askingAgain.answer(lied)
    expect(refused).toMatchObject({ state: 'abandoned', isVerified: false, errorMessage: lie.says })
    expect(refused.presentation).toEqual({ [WAYS[way].asked]: lied })
  })

  test('is not verified when it answered another request before', async () => {
    const [honest] = HONEST
    if (honest === undefined) throw new Error('there is nothing to present')
    const first = await askForAnonCreds(stage, caller, wallet, honest.asked)
    const presentation = honest.answer(first.request)
    expect(await first.answer(presentation)).toMatchObject({ state: 'done', isVerified: true })
    const second = await askForAnonCreds(stage, caller, wallet, honest.asked)
    expect(await second.answer(presentation)).toMatchObject({
      state: 'abandoned',
      isVerified: false,
      errorMessage: 'the proof is not valid',
    })
  })

  test('is not verified where what it names cannot be read', async () => {
    const asking = await askForAnonCreds(stage, caller, wallet, { requested_attributes: { r0: { name: 'degree' } } })
    const [honest] = HONEST
    const presentation = honest?.answer(asking.request)
    for (const name of ['did:memory:nobody/schema', 'did:unknown:method/schema']) {
      const again = await askForAnonCreds(stage, caller, wallet, { requested_attributes: { r0: { name: 'degree' } } })
      const [identifier] = presentation?.identifiers ?? []
      const proof = await again.answer({ ...presentation, identifiers: [{ ...identifier, schema_id: name }] })
      expect(proof).toMatchObject({
        state: 'abandoned',
        isVerified: false,
        errorMessage: 'a schema of the presentation could not be read',
      })
    }
  })

  test.each([[null], ['verified'], [{}], [[]]])('is not verified when it is %j', async (presented) => {
    for (const way of ways) {
      const asking = await askForAnonCreds(stage, caller, wallet, { requested_attributes: { r0: { name: 'x' } } }, way)
      expect(await asking.answer(presented)).toMatchObject({ state: 'abandoned', isVerified: false })
    }
  })
})
