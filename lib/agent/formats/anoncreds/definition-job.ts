/**
 * The job that generates a credential definition: first the keys, outside of any transaction, then one transaction with
 * all results.
 */
import {
  type AnonCredsIssuerService,
  AnonCredsIssuerServiceSymbol,
  type AnonCredsSchema,
  type CreateCredentialDefinitionReturn,
} from '@credo-ts/anoncreds'
import { AgentError } from '../../../errors.ts'
import type { JobHandler } from '../../../jobs/job.ts'
import { invalidAttributesReason } from '../../../records/anoncreds-objects.ts'
import type { StoredCredentialDefinition } from '../../../records/credential-definition.ts'
import { transaction } from '../../../store/transaction.ts'
import type { UnitOfWork } from '../../../store/unit-of-work.ts'
import { currentAgent, type TenantAgent } from '../../credo/index.ts'
import { failDefinition, publishDefinition } from './definition-outcomes.ts'
import { readDefinition } from './definition-records.ts'
import { resolveSchema } from './resolve.ts'

interface Prepared {
  agent: TenantAgent
  record: StoredCredentialDefinition
  schema: AnonCredsSchema
}

export const credentialDefinitionJob: JobHandler = {
  run: async ({ tenant, id }) => {
    const prepared = await transaction(tenant, (unit) => prepare(unit, id))
    if (prepared === undefined) return { commit: async () => {} }
    // Schemas of other issuers may have any attributes.
    const invalidReason = invalidAttributesReason(prepared.schema.attrNames)
    if (invalidReason !== undefined) return { givenUp: `the attributes of its schema ${invalidReason}` }
    const generated = await generateKeys(prepared)
    return { commit: (unit) => publishDefinition(unit, id, generated) }
  },
  giveUp: (unit, { id }, reason) => failDefinition(unit, id, reason),
}

/** Undefined if there is nothing left to do. */
const prepare = async (unit: UnitOfWork, id: string): Promise<Prepared | undefined> => {
  const record = await readDefinition(unit, id)
  if (record?.state !== 'wait') return undefined
  const agent = await currentAgent()
  const schema = await resolveSchema(agent, record.schemaId)
  if (schema === undefined) throw new AgentError('resource.not_found', 'its schema does not exist in the registry')
  return { agent, record, schema }
}

/** Takes seconds of processor time to find two primes. */
const generateKeys = ({ agent: { context }, record, schema }: Prepared): Promise<CreateCredentialDefinitionReturn> => {
  const { issuerId, schemaId, tag, supportRevocation } = record
  return context
    .resolve<AnonCredsIssuerService>(AnonCredsIssuerServiceSymbol)
    .createCredentialDefinition(context, { issuerId, schemaId, tag, supportRevocation, schema })
}
