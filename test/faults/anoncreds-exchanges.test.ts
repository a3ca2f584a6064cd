/** AnonCreds are issued and proved once and completely, though every message is delivered three times concurrently, or any request to the table fails. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { defineDegree, degreeOffer, degreeRequest, offerDegree } from '../support/anoncreds/revocable-degree.ts'
import { connect } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { startTenantAndWallet, type TenantAndWallet } from '../support/stage/tenant-and-wallet.ts'
import { FAULTS, StoreFaults } from '../support/table/store-fault.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { succeed } from '../support/tenants.ts'
import { waitFor } from '../wallet/wait.ts'

describeWithLibrary('AnonCreds are issued and proved once', () => {
  let world: TenantAndWallet
  let faults: StoreFaults
  let connectionId: string
  let credentialDefinitionId: string

  beforeAll(async () => {
    world = await startTenantAndWallet({ answerProofs: true })
    const { stage, wallet, caller } = world
    await useQuickKeys()
    faults = new StoreFaults(stage.serviceClient)
    connectionId = (await connect(stage, wallet, caller)).connectionId
    credentialDefinitionId = await defineDegree(stage, caller)
  })
  afterAll(() => world.stop())

  /** An exchange when it is over. */
  const ended = (read: () => Promise<Json>): Promise<Json> =>
    waitFor('the exchange to be over', async () => {
      const found = await read()
      return /^(done|abandoned)$/.test(found.state) && found
    })

  const play = async (): Promise<void> => {
    const { stage, wallet, caller } = world
    const held = async (): Promise<number> => (await wallet.agent.modules.anoncreds.getCredentials({})).length
    const before = await held()
    const offer = await offerDegree(stage, caller, degreeOffer(connectionId, credentialDefinitionId))
    const path = { credentialRecordId: offer.id }
    expect((await ended(() => succeed(stage, 'getCredentialById', caller, { path }))).state).toBe('done')
    expect(await held()).toBe(before + 1)

    const body = { connectionId, ...degreeRequest(credentialDefinitionId) }
    const { id: proofRecordId } = await succeed(stage, 'requestProof', caller, { body })
    const proof = await ended(() => succeed(stage, 'getProofById', caller, { path: { proofRecordId } }))
    expect(proof).toMatchObject({ state: 'done', isVerified: true })

    expect(wallet.journal.errors).toEqual([])
    await stage.line.pause()
    await stage.line.settle()
    expect(await checkTable(stage.client, stage.table)).toEqual([])
    stage.line.run()
  }

  test('when every message is delivered three times concurrently', async () => {
    world.stage.onEnvelope(async (handle) => {
      const [first, ...others] = await Promise.all([handle(), handle(), handle()])
      expect([first, ...others].map(({ status }) => status)).toEqual([200, 200, 200])
      return first
    })
    await play()
  })

  test('when any request to the table times out after it took effect', async () => {
    const fault = FAULTS['times out after it worked']
    if (fault === undefined) throw new Error('there is no such fault')
    world.stage.onEnvelope((handle) => faults.untilNoneIsLeft(fault, handle))
    await play()
  })
})
