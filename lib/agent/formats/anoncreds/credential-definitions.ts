/**
 * The agent's credential definitions: requested by a call, generated in the background, and published with the records
 * that issuing needs.
 */
import { randomUUID } from 'node:crypto'
import type * as v from 'valibot'
import { readPublishedDefinition } from '../../../anoncreds/credential-definitions.ts'
import { assertAnonCredsDeployed } from '../../../anoncreds-library.ts'
import { AgentError, invalidField } from '../../../errors.ts'
import { type IndyDid, idLike, parseIndyDid, parseIndyId } from '../../../indy/ids.ts'
import type { CreateCredentialDefinition } from '../../../interface/anoncreds.ts'
import { enqueue } from '../../../jobs/job.ts'
import { DEFAULT_REGISTRY_SIZE, type StoredCredentialDefinition } from '../../../records/credential-definition.ts'
import { type RecordJson, toRecordJson } from '../../../records/record-json.ts'
import type { UnitOfWork } from '../../../store/unit-of-work.ts'
import { currentAgent } from '../../credo/index.ts'
import { issuerOf } from '../../dids/index.ts'
import { findFreeSlot, reserveQuota } from './definition-quota.ts'
import { addDefinition, contentOf, definitionAt } from './definition-records.ts'
import { registryOf } from './registries.ts'

type NewDefinition = v.InferOutput<(typeof CreateCredentialDefinition)['body']>

/**
 * Requests a definition in the running unit of work. Its state is `wait` until its keys are generated. There is one
 * definition for an issuer, schema and tag: unless it has failed, it is returned. Throws `request.invalid`,
 * `quota.exceeded`, `definition.exists` if it has other options, and `anoncreds.unavailable`.
 */
export const createDefinition = async (unit: UnitOfWork, newDefinition: NewDefinition): Promise<RecordJson> => {
  if (newDefinition.revocationRegistrySize !== undefined && !newDefinition.supportRevocation)
    throw invalidField('revocationRegistrySize', 'is only for a definition with supportRevocation')
  const agent = await currentAgent()
  const issuerId = await issuerOf(agent, newDefinition.issuerId)
  registryOf(issuerId, 'issuerId')
  const indy = parseIndyDid(issuerId)
  if (indy !== undefined && indy.namespace === undefined) throw missingNamespaceError()
  registryOf(newDefinition.schemaId, 'schemaId')
  const requested = {
    ...newDefinition,
    issuerId,
    schemaId: indy ? qualifiedSchemaId(indy, newDefinition.schemaId) : newDefinition.schemaId,
  }
  // Slots are read first: if a concurrent call for the same definition took the last one, its record is found next.
  const slot = await findFreeSlot(unit)
  const known = await definitionAt(unit, requested)
  if (known !== undefined && known.state !== 'failed')
    return withPublished(unit.tenant, assertSameOptions(known, requested))
  assertAnonCredsDeployed()
  const id = randomUUID()
  await reserveQuota(unit, id, slot)
  const record: StoredCredentialDefinition = {
    id,
    createdAt: new Date().toISOString(),
    metadata: {},
    state: 'wait',
    ...definitionFields(requested),
  }
  addDefinition(unit, record, known)
  enqueue(unit, { tenant: unit.tenant, type: 'credential-definition', id: record.id })
  return definitionJson(record)
}

/** The qualified id of a schema: a definition has the same id by the unqualified one, so both must be one key. */
const qualifiedSchemaId = (issuer: IndyDid, schemaId: string): string => {
  const id = parseIndyId(schemaId)
  return id === undefined || id.namespace !== undefined ? schemaId : (idLike(id, issuer) ?? schemaId)
}

/** Credo needs the qualified ids of a definition, also to issue with the unqualified ones. */
const missingNamespaceError = () =>
  invalidField('issuerId', 'must name its ledger, as did:indy:<namespace>:<did>; offers may name it by unqualified ids')

const definitionFields = ({
  issuerId = '',
  schemaId,
  tag,
  supportRevocation,
  revocationRegistrySize,
}: NewDefinition) => ({
  ...{ issuerId, schemaId, tag, supportRevocation },
  ...(supportRevocation && { revocationRegistrySize: revocationRegistrySize ?? DEFAULT_REGISTRY_SIZE }),
})

/** With the definition when it is finished: clients of credo-controller read it from this response. */
const withPublished = async (tenant: string, known: StoredCredentialDefinition): Promise<RecordJson> => {
  if (known.state !== 'finished' || known.credentialDefinitionId === undefined) return definitionJson(known)
  return {
    ...definitionJson(known),
    credentialDefinition: await readPublishedDefinition(tenant, known.credentialDefinitionId),
  }
}

const definitionJson = (record: StoredCredentialDefinition): RecordJson => toRecordJson(contentOf(record))

const assertSameOptions = (known: StoredCredentialDefinition, requested: NewDefinition): StoredCredentialDefinition => {
  const { supportRevocation, revocationRegistrySize } = definitionFields(requested)
  if (known.supportRevocation === supportRevocation && known.revocationRegistrySize === revocationRegistrySize)
    return known
  throw new AgentError('definition.exists', 'there is a credential definition with other options')
}
