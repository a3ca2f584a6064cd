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
export const createDefinition = async (unit: UnitOfWork, named: NewDefinition): Promise<RecordJson> => {
  if (named.revocationRegistrySize !== undefined && !named.supportRevocation)
    throw invalidField('revocationRegistrySize', 'is only for a definition with supportRevocation')
  const agent = await currentAgent()
  const issuerId = await issuerOf(agent, named.issuerId)
  registryOf(issuerId, 'issuerId')
  const indy = parseIndyDid(issuerId)
  if (indy !== undefined && indy.namespace === undefined) throw namelessLedger()
  registryOf(named.schemaId, 'schemaId')
  const requested = { ...named, issuerId, schemaId: indy ? onLedgerOf(indy, named.schemaId) : named.schemaId }
  // Read first: whoever finds no slot because a concurrent call for the same definition took it also finds that one.
  const slot = await findFreeSlot(unit)
  const known = await definitionAt(unit, requested)
  if (known !== undefined && known.state !== 'failed') return withPublished(unit.tenant, sameOptions(known, requested))
  assertAnonCredsDeployed()
  const id = randomUUID()
  await reserveQuota(unit, id, slot)
  const record: StoredCredentialDefinition = {
    id,
    createdAt: new Date().toISOString(),
    metadata: {},
    state: 'wait',
    ...definedBy(requested),
  }
  addDefinition(unit, record, known)
  enqueue(unit, { tenant: unit.tenant, type: 'credential-definition', id: record.id })
  return shown(record)
}

/** A schema by its qualified id, so that it has one definition for a tag, whose id would be the same by either. */
const onLedgerOf = (issuer: IndyDid, schemaId: string): string => {
  const id = parseIndyId(schemaId)
  return id === undefined || id.namespace !== undefined ? schemaId : (idLike(id, issuer) ?? schemaId)
}

/** Credo needs the qualified ids of a definition to issue by the unqualified ones. */
const namelessLedger = () =>
  invalidField('issuerId', 'must name its ledger, as did:indy:<namespace>:<did>; offers may name it by unqualified ids')

const definedBy = ({ issuerId = '', schemaId, tag, supportRevocation, revocationRegistrySize }: NewDefinition) => ({
  ...{ issuerId, schemaId, tag, supportRevocation },
  ...(supportRevocation && { revocationRegistrySize: revocationRegistrySize ?? DEFAULT_REGISTRY_SIZE }),
})

/** With the definition when it is finished: clients of credo-controller read it from this response. */
const withPublished = async (tenant: string, known: StoredCredentialDefinition): Promise<RecordJson> => {
  if (known.state !== 'finished' || known.credentialDefinitionId === undefined) return shown(known)
  return { ...shown(known), credentialDefinition: await readPublishedDefinition(tenant, known.credentialDefinitionId) }
}

const shown = (record: StoredCredentialDefinition): RecordJson => toRecordJson(contentOf(record))

const sameOptions = (known: StoredCredentialDefinition, requested: NewDefinition): StoredCredentialDefinition => {
  const { supportRevocation, revocationRegistrySize } = definedBy(requested)
  if (known.supportRevocation === supportRevocation && known.revocationRegistrySize === revocationRegistrySize)
    return known
  throw new AgentError('definition.exists', 'there is a credential definition with other options')
}
