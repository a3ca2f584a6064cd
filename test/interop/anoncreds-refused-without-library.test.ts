/** Without AnonCreds' native library, calls that need it are rejected immediately, and jobs that were accepted before fail with a reason. */
import { beforeEach, expect, test, vi } from 'vitest'
import { anonCredsUnavailable } from '../../lib/anoncreds-library.ts'
import { addIssuedExchange, revocableAt } from '../support/anoncreds/issued-exchange.ts'
import { createTenant } from '../support/scenes.ts'
import type { Caller } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'

const library = vi.hoisted(() => ({ isDeployed: false }))
vi.mock('../../lib/anoncreds-library.ts', async (original) => {
  const { anonCredsUnavailable: unavailable, ...others } =
    await original<typeof import('../../lib/anoncreds-library.ts')>()
  return {
    ...others,
    anonCredsUnavailable: unavailable,
    assertAnonCredsDeployed: () => {
      if (!library.isDeployed) throw unavailable()
    },
  }
})
vi.mock('../../lib/agent/formats/anoncreds/library.ts', async (original) => ({
  ...(await original<typeof import('../../lib/agent/formats/anoncreds/library.ts')>()),
  assertAnonCredsLoads: () => {
    throw anonCredsUnavailable()
  },
  withLibrary: async () => {
    throw anonCredsUnavailable()
  },
}))

vi.useFakeTimers({ toFake: ['Date'] })
const stage = await useStage({ delivers: false })
let caller: Caller & { tenantId: string }
const REFUSED = { status: 409, body: { error: 'Conflict', message: expect.stringContaining('npm run anoncreds') } }

beforeEach(async () => {
  library.isDeployed = false
  caller = (await createTenant(stage)) as typeof caller
})

const define = async () => {
  const schema = { name: 'degree', version: '1.0', attributes: ['degree'] }
  const { status, body } = await stage.call('createSchema', { caller, body: schema })
  expect(status).toBe(200)
  return stage.call('createCredentialDefinition', { caller, body: { schemaId: body.schemaId, tag: 'default' } })
}

test('a credential definition is refused, and nothing of it is stored', async () => {
  expect(await define()).toMatchObject(REFUSED)
  expect((await stage.call('getCredentialDefinitions', { caller })).body).toEqual([])
})

test('an offer is refused', async () => {
  const anoncreds = { credentialDefinitionId: 'any', attributes: [{ name: 'degree', value: 'Bachelor' }] }
  const body = { protocolVersion: 'v2', credentialFormats: { anoncreds } }
  expect(await stage.call('createOfferOob', { caller, body })).toMatchObject(REFUSED)
})

test('a revocation is refused, and the credential is not revoked', async () => {
  const credentialRecordId = await addIssuedExchange(caller.tenantId, revocableAt('registry', 1))
  const path = { credentialRecordId }
  expect(await stage.call('revokeCredential', { caller, path })).toMatchObject(REFUSED)
  const { body } = await stage.call('getCredentialById', { caller, path })
  expect(body.metadata).not.toHaveProperty('_agent/revocation')
})

test('a job that was accepted before ends with a reason that names the command', async () => {
  library.isDeployed = true
  const credentialRecordId = await addIssuedExchange(caller.tenantId, revocableAt('registry', 1))
  const { id } = (await define()).body
  expect(await stage.call('revokeCredential', { caller, path: { credentialRecordId } })).toMatchObject({ status: 200 })
  for (let attempt = 0; attempt < 4; attempt++) {
    vi.setSystemTime(Date.now() + 90_000)
    await stage.line.sweep()
    await stage.line.settle()
  }
  const reason = expect.stringContaining('npm run anoncreds')
  const definition = await stage.call('getCredentialDefinitionById', { caller, path: { credentialDefinitionId: id } })
  expect(definition.body).toMatchObject({ state: 'failed', reason })
  const { body } = await stage.call('getCredentialById', { caller, path: { credentialRecordId } })
  expect(body.metadata['_agent/revocation']).toMatchObject({ state: 'pending', reason })
})
