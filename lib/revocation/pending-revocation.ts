/** Credentials that are revoked and not in the published list of their registry yet. */
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { legacyId } from '../indy/ids.ts'
import { enqueue } from '../jobs/job.ts'
import { isObject } from '../json.ts'
import { ANONCREDS, REVOCATION, RevocationState, toCredentialExchangeJson } from '../records/credential-exchange.ts'
import { ANONCREDS_ISSUED, type RecordJson } from '../records/record-json.ts'
import { pendingRevocationAddress, pendingRevocations } from '../store/anoncreds-keys.ts'
import { defineItem } from '../store/item.ts'
import { integer, text } from '../store/item-fields.ts'
import type { StoredRecord } from '../store/stored-record.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

export const CREDENTIAL = 'CredentialRecord'

/** A credential may name its registry in either spelling of an Indy ledger's ids. */
export const pendingRevocationItem = defineItem(
  'pending-revocation',
  ({ tenant, registryId, index }: Revocable & { tenant: string }) =>
    pendingRevocationAddress({ tenant, registryId: legacyId(registryId), index }),
  { index: integer(), credentialRecordId: text() },
)

/** What of an exchange is revoked, and where. */
export interface Revocable {
  registryId: string
  index: number
}

/** Where the credential of an exchange is in a registry; undefined where it has not been issued by this agent, or can't be revoked. */
export const revocableOf = ({ value }: StoredRecord): Revocable | undefined => {
  const { metadata, role } = value
  // Not the state: a wallet may take another format of the offer, or give the exchange up when it has the credential.
  if (role !== 'issuer' || !isObject(metadata) || metadata[ANONCREDS_ISSUED] === undefined) return undefined
  const credential = metadata[ANONCREDS]
  if (!isObject(credential)) return undefined
  const { revocationRegistryId, credentialRevocationId } = credential
  const index = Number(credentialRevocationId)
  return typeof revocationRegistryId === 'string' && Number.isSafeInteger(index) && index > 0
    ? { registryId: revocationRegistryId, index }
    : undefined
}

export const revocationOf = ({ value: { metadata } }: StoredRecord): RevocationState | undefined => {
  const known = isObject(metadata) ? metadata[REVOCATION] : undefined
  return v.is(RevocationState, known) ? known : undefined
}

/** The record with this state of its revocation. */
export const withRevocation = (record: StoredRecord, state: RevocationState): StoredRecord => ({
  ...record,
  value: {
    ...record.value,
    metadata: { ...(isObject(record.value.metadata) && record.value.metadata), [REVOCATION]: state },
    updatedAt: new Date().toISOString(),
  },
})

/**
 * Revokes the credential of an exchange, in the running unit of work: a job publishes it afterwards. The second time it answers the same.
 * Throws `resource.not_found`, `credential.not_revocable`.
 */
export const revokeCredential = async (unit: UnitOfWork, credentialRecordId: string): Promise<RecordJson> => {
  const { tenant } = unit
  const record = await unit.read(tenant, CREDENTIAL, credentialRecordId)
  if (record === undefined) throw new AgentError('resource.not_found', 'there is no such credential exchange')
  if (revocationOf(record) !== undefined) return toCredentialExchangeJson(record)
  const revocable = revocableOf(record)
  if (revocable === undefined)
    throw new AgentError('credential.not_revocable', 'the credential was not issued, or can not be revoked')
  const revoked = withRevocation(record, { state: 'pending', revokedAt: new Date().toISOString() })
  await unit.update(revoked)
  unit.create(pendingRevocationItem.encode({ tenant, credentialRecordId, ...revocable }))
  enqueuePublication(unit, { credentialRecordId, round: 1 })
  return toCredentialExchangeJson(revoked)
}

/** The job that publishes the revocation of a credential. */
interface Publication {
  credentialRecordId: string
  /** Counts the jobs of the revocation: one that was given up is followed by another. */
  round: number
}

/** `delay`: ms. */
export const enqueuePublication = (unit: UnitOfWork, { credentialRecordId, round }: Publication, delay = 0): void =>
  enqueue(unit, { tenant: unit.tenant, type: 'revocation-list', id: `${credentialRecordId}.${round}` }, delay)

/** What the id of a job says. */
export const publicationOf = (jobId: string): Publication => {
  const dot = jobId.lastIndexOf('.')
  return { credentialRecordId: jobId.slice(0, dot), round: Number(jobId.slice(dot + 1)) }
}

/** The indexes of a registry that are revoked and perhaps not published. */
export const pendingIndexes = async (unit: UnitOfWork, registryId: string): Promise<number[]> =>
  (await unit.queryAll(pendingRevocations(unit.tenant, legacyId(registryId)))).map(
    (item) => pendingRevocationItem.decode(item).index,
  )
