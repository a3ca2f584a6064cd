/** docs/cost.md on AnonCreds, held by a test: what a definition, a credential, a proof and a revocation consume, with all that happens for them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { type AnonCredsWorld, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import { ANONCREDS_FLOWS, documented } from '../support/cost/document.ts'
import { expectUnits } from '../support/cost/expect-units.ts'
import { expectStored, storedBytes } from '../support/cost/storage.ts'
import type { Call, Json, OperationName } from '../support/stage/in-process-stage.ts'
import { ConsumedUnits, type Units } from '../support/table/consumed-units.ts'
import { waitFor } from '../wallet/wait.ts'

let world: AnonCredsWorld
let consumed: ConsumedUnits

const call = async (operation: OperationName, request: Call): Promise<Json> => {
  const { status, body } = await world.stage.call(operation, { caller: world.caller, ...request })
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body
}

/** Reads a record until it fits, and counts none of it. */
const until = (what: string, operation: OperationName, path: Record<string, string>, fits: (body: Json) => boolean) =>
  waitFor(what, () =>
    consumed.aside(async () => {
      const body = await call(operation, { path })
      return fits(body) && body
    }),
  )

const measured: Record<string, Units> = {}
const stored: Record<string, number> = {}

/** Measures an act until nothing is left to do. */
const measure = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
  const { line } = world.stage
  await line.pause()
  await line.settle()
  line.run()
  const before = await storedBytes(world.stage)
  const { result, units } = await consumed.during(async () => {
    const done = await act()
    await line.pause()
    await line.settle()
    return done
  })
  measured[what] = units
  stored[what] = (await storedBytes(world.stage)) - before
  line.run()
  return result
}

describeWithLibrary('what AnonCreds consume', () => {
  beforeAll(async () => {
    world = await startAnonCredsWorld({ revocable: 20, acceptOffers: true, embedded: true })
    consumed = new ConsumedUnits(world.stage.serviceClient)
    await useQuickKeys()
  })
  afterAll(() => world.stop())

  const offer = async () => {
    const { connectionId, credentialDefinitionId } = world
    const attributes = [
      { name: 'degree', value: 'Bachelor' },
      { name: 'age', value: '24' },
    ]
    const credentialFormats = { anoncreds: { credentialDefinitionId, attributes } }
    const body = { connectionId, protocolVersion: 'v2', autoAcceptCredential: 'always', credentialFormats }
    // Its registry is being made at first.
    const { id } = await waitFor('the offer', async () => {
      const reply = await world.stage.call('createOffer', { caller: world.caller, body })
      return reply.status === 200 && reply.body
    })
    return until(
      'the credential to be issued',
      'getCredentialById',
      { credentialRecordId: id },
      ({ state }) => state === 'done',
    )
  }

  test('a definition, a credential, its proof and its revocation', async () => {
    const { connectionId, credentialDefinitionId, schemaId, wallet } = world
    await measure('a credential definition that is made', async () => {
      const { id } = await call('createCredentialDefinition', { body: { schemaId, tag: 'another' } })
      await until(
        'it to be made',
        'getCredentialDefinitionById',
        { credentialDefinitionId: id },
        ({ state }) => state === 'finished',
      )
    })
    // The first one reads what an agent reads once.
    await offer()
    const credential = await measure('an AnonCreds credential that is issued', offer)
    await measure('a proof of it', async () => {
      const restrictions = [{ cred_def_id: credentialDefinitionId }]
      const anoncreds = {
        ...{ name: 'degree', version: '1.0', requested_predicates: {} },
        requested_attributes: { degree: { name: 'degree', restrictions } },
      }
      const body = { connectionId, protocolVersion: 'v2', autoAcceptProof: 'always', proofFormats: { anoncreds } }
      const { id, threadId } = await call('requestProof', { body })
      const { proofs } = wallet.agent.didcomm
      const asked = await waitFor('the request', async () =>
        (await proofs.getAll()).find((one) => one.threadId === threadId && one.state === 'request-received'),
      )
      const { proofFormats } = await proofs.selectCredentialsForRequest({ proofExchangeRecordId: asked.id })
      await proofs.acceptRequest({ proofExchangeRecordId: asked.id, proofFormats })
      await until('the proof to be verified', 'getProofById', { proofRecordId: id }, ({ state }) => state === 'done')
    })
    await measure('its revocation', async () => {
      const path = { credentialRecordId: credential.id }
      await call('revokeCredential', { path })
      await until(
        'it to be published',
        'getCredentialById',
        path,
        ({ metadata }) => metadata['_agent/revocation'].state === 'published',
      )
    })
    expect(Object.keys(measured)).toEqual(ANONCREDS_FLOWS)
    for (const [what, units] of Object.entries(measured)) {
      const row = documented.get(what)
      if (row === undefined) throw new Error(`docs/cost.md has no row: ${what}`)
      expectUnits(units, row)
    }
    for (const what of ['an AnonCreds credential that is issued', 'a proof of it'])
      expectStored(what, stored[what] ?? Number.NaN)
  })
})
