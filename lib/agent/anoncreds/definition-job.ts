/** The job that makes a credential definition: its keys outside of any transaction, then one with all that follows from them. */
import {
  AnonCredsCredentialDefinitionPrivateRecord,
  AnonCredsCredentialDefinitionPrivateRepository,
  AnonCredsCredentialDefinitionRecord,
  AnonCredsCredentialDefinitionRepository,
  type AnonCredsIssuerService,
  AnonCredsIssuerServiceSymbol,
  AnonCredsKeyCorrectnessProofRecord,
  AnonCredsKeyCorrectnessProofRepository,
  type AnonCredsRegistry,
  type AnonCredsSchema,
  type CreateCredentialDefinitionReturn,
} from '@credo-ts/anoncreds'
import { AgentError } from '../../errors.ts'
import type { JobHandler } from '../../jobs/handler.ts'
import type { StoredCredentialDefinition } from '../../records/credential-definition.ts'
import { transaction } from '../../store/transaction.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { currentAgent, type TenantAgent } from '../agent.ts'
import { giveBackQuota } from './definition-quota.ts'
import { changeDefinition, readDefinition } from './definition-records.ts'
import { registryOf } from './registries.ts'
import { resolveSchema } from './resolve.ts'

interface Prepared {
  agent: TenantAgent
  record: StoredCredentialDefinition
  /** Undefined: there is none of this id. */
  schema: AnonCredsSchema | undefined
}

export const credentialDefinitionJob: JobHandler = {
  run: async ({ tenant, id }) => {
    const prepared = await transaction(tenant, (unit) => prepare(unit, id))
    if (prepared === undefined) return { commit: async () => {} }
    const { agent, record, schema } = prepared
    if (schema === undefined)
      return { commit: (unit) => fail(unit, id, 'its schema is not known to the registry that the id names') }
    const made = await makeKeys(agent, record, schema)
    return { commit: (unit) => publish(unit, id, made) }
  },
  giveUp: (unit, { id }, reason) => fail(unit, id, reason),
}

/** Undefined where nothing is to be done any more. */
const prepare = async (unit: UnitOfWork, id: string): Promise<Prepared | undefined> => {
  const record = await readDefinition(unit, id)
  if (record?.state !== 'wait') return undefined
  const agent = await currentAgent()
  return { agent, record, schema: await resolveSchema(agent, record.schemaId) }
}

const makeKeys = (
  { context }: TenantAgent,
  { issuerId, schemaId, tag, supportRevocation }: StoredCredentialDefinition,
  schema: AnonCredsSchema,
): Promise<CreateCredentialDefinitionReturn> =>
  context
    .resolve<AnonCredsIssuerService>(AnonCredsIssuerServiceSymbol)
    .createCredentialDefinition(context, { issuerId, schemaId, tag, supportRevocation, schema })

const publish = async (unit: UnitOfWork, id: string, made: CreateCredentialDefinitionReturn): Promise<void> => {
  const record = await readDefinition(unit, id)
  if (record?.state !== 'wait') return
  const agent = await currentAgent()
  const registry = registryOf(record.issuerId, 'issuerId')
  const credentialDefinitionId = await publishedBy(registry, agent, made)
  await saveRecords(agent, { ...made, credentialDefinitionId, methodName: registry.methodName })
  await giveBackQuota(unit)
  await changeDefinition(unit, record, { state: 'finished', credentialDefinitionId })
}

const publishedBy = async (
  registry: AnonCredsRegistry,
  { context }: TenantAgent,
  { credentialDefinition }: CreateCredentialDefinitionReturn,
): Promise<string> => {
  const { credentialDefinitionState } = await registry.registerCredentialDefinition(context, {
    credentialDefinition,
    options: {},
  })
  const { state, credentialDefinitionId } = credentialDefinitionState
  if (state === 'finished') return credentialDefinitionId
  throw new AgentError('registry.unavailable', 'the registry of its issuer has not taken it')
}

interface Made extends CreateCredentialDefinitionReturn {
  credentialDefinitionId: string
  methodName: string
}

/** What Credo issues with. */
const saveRecords = async ({ context }: TenantAgent, made: Made): Promise<void> => {
  const { credentialDefinitionId, credentialDefinition, methodName } = made
  const definition = new AnonCredsCredentialDefinitionRecord({
    credentialDefinitionId,
    credentialDefinition,
    methodName,
  })
  await context.resolve(AnonCredsCredentialDefinitionRepository).save(context, definition)
  const secret = { credentialDefinitionId, value: made.credentialDefinitionPrivate ?? {} }
  await context
    .resolve(AnonCredsCredentialDefinitionPrivateRepository)
    .save(context, new AnonCredsCredentialDefinitionPrivateRecord(secret))
  const proof = { credentialDefinitionId, value: made.keyCorrectnessProof ?? {} }
  await context
    .resolve(AnonCredsKeyCorrectnessProofRepository)
    .save(context, new AnonCredsKeyCorrectnessProofRecord(proof))
}

const fail = async (unit: UnitOfWork, id: string, reason: string): Promise<void> => {
  const record = await readDefinition(unit, id)
  if (record?.state !== 'wait') return
  await giveBackQuota(unit)
  await changeDefinition(unit, record, { state: 'failed', reason })
}
