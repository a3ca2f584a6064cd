/** docs/cost.md on AnonCreds, held by a test: what it says that the table reads and writes is what the table counts. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { DEGREE_SCHEMA, degreeOffer, degreeRequest } from '../support/anoncreds/revocable-degree.ts'
import { expectAsDocumented } from '../support/cost-document.ts'
import { connect, createTenant } from '../support/scenes.ts'
import {
  type InProcessStage,
  type Json,
  type OperationName,
  startInProcessStage,
} from '../support/stage/in-process-stage.ts'
import { ConsumedUnits, type Units } from '../support/table/consumed-units.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

describeWithLibrary('AnonCreds', () => {
  const measured: Record<string, Units> = {}
  let stage: InProcessStage
  let consumed: ConsumedUnits
  let wallet: Wallet
  let caller: { tenantId: string }

  beforeAll(async () => {
    stage = await startInProcessStage()
    await useQuickKeys()
    consumed = new ConsumedUnits(stage.serviceClient)
    wallet = await Wallet.start({ answerProofs: true })
  })
  afterAll(async () => {
    await wallet.stop()
    await stage.stop()
  })

  /** Measures an act under a name of the document, with all that follows from it in the background. */
  const measure = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    const { result, units } = await consumed.during(act)
    measured[what] = units
    return result
  }
  const ask = async (operation: OperationName, call: object): Promise<Json> => {
    const { status, body } = await stage.call(operation, { caller, ...call })
    if (status >= 300) throw new Error(`${operation} answers ${status} ${JSON.stringify(body)}`)
    return body
  }
  const call = (operation: OperationName, request: object) => measure(operation, () => ask(operation, request))
  const settle = () => stage.line.settle()

  /** Resolves when a record is in a state, and all that was to be delivered is. */
  const until = async (operation: OperationName, path: object, state: string): Promise<void> => {
    await waitFor(`the exchange to be ${state}`, () =>
      consumed.aside(async () => {
        const found = await ask(operation, { path })
        if (found.state === 'abandoned') throw new Error(found.errorMessage)
        return found.state === state
      }),
    )
    await stage.line.pause()
    await settle()
  }

  test('an operation, a job and an exchange consume what the document says', async () => {
    caller = await createTenant(stage)
    stage.line.run()
    const { connectionId } = await connect(stage, wallet, caller)
    await stage.line.pause()
    await settle()
    // The tenant's DID is there when it is used.
    await ask('createSchema', { body: { ...DEGREE_SCHEMA, name: 'first' } })
    await settle()

    const { schemaId } = await call('createSchema', { body: DEGREE_SCHEMA })
    const { id } = await call('createCredentialDefinition', {
      body: { schemaId, tag: 'default', supportRevocation: true },
    })
    await measure('its keys and its first registry', settle)
    const { credentialDefinitionId } = await ask('getCredentialDefinitionById', {
      path: { credentialDefinitionId: id },
    })

    stage.line.run()
    const offer = await measure('a credential of AnonCreds that is issued', async () => {
      const made = await ask('createOffer', { body: degreeOffer(connectionId, credentialDefinitionId) })
      await until('getCredentialById', { credentialRecordId: made.id }, 'done')
      return made
    })

    const { revocationRegistryId } = (await ask('getCredentialById', { path: { credentialRecordId: offer.id } }))
      .metadata['_anoncreds/credential']
    const { body: registry } = await stage.call('getWebvhResource', {
      path: { tenantId: caller.tenantId, resourceId: revocationRegistryId.split('/').at(-1) },
    })
    await call('getTailsFile', { path: { hash: registry.content.value.tailsHash } })

    stage.line.run()
    await measure('a presentation that is verified', async () => {
      const body = { connectionId, ...degreeRequest(credentialDefinitionId) }
      const { id: proofRecordId } = await ask('requestProof', { body })
      await until('getProofById', { proofRecordId }, 'done')
    })

    await call('revokeCredential', { path: { credentialRecordId: offer.id } })
    await measure('its publication', settle)
    const { metadata } = await ask('getCredentialById', { path: { credentialRecordId: offer.id } })
    expect(metadata['_agent/revocation'].state).toBe('published')
    expectAsDocumented(measured, 'AnonCreds')
  })
})
