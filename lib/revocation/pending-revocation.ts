/** Revocations that are not in the published list of their registry yet. */

import { assertAnonCredsDeployed } from '../anoncreds-library.ts'
import { AgentError } from '../errors.ts'
import { legacyId } from '../indy/ids.ts'
import { enqueue } from '../jobs/job.ts'
import { isObject } from '../json.ts'
import {
  ANONCREDS,
  REVOCATION,
  type RevocationState,
  revocationOf,
  toCredentialExchangeJson,
} from '../records/credential-json.ts'
import { ANONCREDS_ISSUED, type RecordJson } from '../records/record-json.ts'
import { defineItem } from '../store/item.ts'
import { integer, text } from '../store/item-fields.ts'
import { address, digest } from '../store/keys.ts'
import type { StoredRecord } from '../store/stored-record.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

export const CREDENTIAL = 'CredentialRecord'

/** Partition of a registry's pending revocations. */
const pendingRevocations = (tenant: string, registryId: string): string => `${tenant}|revocation|${digest(registryId)}`

/** By the registry's id, which a credential may name qualified or unqualified. */
export const pendingRevocationItem = defineItem(
  'pending-revocation',
  ({ tenant, registryId, index }: Revocable & { tenant: string }) =>
    address(pendingRevocations(tenant, legacyId(registryId)), String(index).padStart(8, '0')),
  { index: integer(), credentialRecordId: text() },
  { 'revocation-registry': ({ tenant, value }) => [pendingRevocations(tenant, legacyId(String(value.registryId)))] },
)

/** The revocable credential of an exchange. */
export interface Revocable {
  registryId: string
  index: number
}

/**
 * The position of an exchange's credential in its registry; undefined if this agent has not issued it, or it can't be
 * revoked.
 */
export const revocableOf = ({ value }: StoredRecord): Revocable | undefined => {
  const { metadata, role } = value
  // Independent of the state: a wallet may accept another format of the offer, or abandon the exchange after it got the
  // credential.
  if (role !== 'issuer' || !isObject(metadata) || metadata[ANONCREDS_ISSUED] === undefined) return undefined
  const credential = metadata[ANONCREDS]
  if (!isObject(credential)) return undefined
  const { revocationRegistryId, credentialRevocationId } = credential
  const index = Number(credentialRevocationId)
  return typeof revocationRegistryId === 'string' && Number.isSafeInteger(index) && index > 0
    ? { registryId: revocationRegistryId, index }
    : undefined
}

/** The record with this revocation state. */
export const withRevocation = (record: StoredRecord, state: RevocationState): StoredRecord => ({
  ...record,
  value: {
    ...record.value,
    metadata: { ...(isObject(record.value.metadata) && record.value.metadata), [REVOCATION]: state },
    updatedAt: new Date().toISOString(),
  },
})

const reasonOf = ({ value: { role, state } }: StoredRecord): string =>
  role === 'issuer' && (state === 'credential-issued' || state === 'done')
    ? 'only AnonCreds credentials of a definition with supportRevocation are revocable'
    : `the state of its exchange is ${state}, as ${role}`

/**
 * Revokes the credential of an exchange in the running unit of work. A job publishes it afterwards. A repetition
 * returns the same. Throws `resource.not_found`, `credential.not_revocable`, `anoncreds.unavailable`.
 */
export const revokeCredential = async (unit: UnitOfWork, credentialRecordId: string): Promise<RecordJson> => {
  const { tenant } = unit
  const record = await unit.read(tenant, CREDENTIAL, credentialRecordId)
  if (record === undefined) throw new AgentError('resource.not_found', 'there is no such credential exchange')
  if (revocationOf(record) !== undefined) return toCredentialExchangeJson(record)
  const revocable = revocableOf(record)
  if (revocable === undefined)
    throw new AgentError('credential.not_revocable', `the credential cannot be revoked: ${reasonOf(record)}`)
  assertAnonCredsDeployed()
  const revoked = withRevocation(record, { state: 'pending', revokedAt: new Date().toISOString() })
  await unit.update(revoked)
  unit.create(pendingRevocationItem.encode({ tenant, credentialRecordId, ...revocable }))
  enqueue(unit, { tenant, type: 'revocation-list', id: credentialRecordId })
  return toCredentialExchangeJson(revoked)
}

/** Id of the job that publishes the revocation of a deleted exchange: a registry's id may contain `|`. */
const orphanJobId = ({ registryId, index }: Revocable): string =>
  `${Buffer.from(registryId).toString('base64url')}.${index}`

/** The revocation that such a job publishes; undefined for the id of an exchange. */
export const revocableOfJob = (id: string): Revocable | undefined => {
  const [, registryId = '', index] = /^([\w-]+)\.(\d+)$/.exec(id) ?? []
  return index === undefined
    ? undefined
    : { registryId: Buffer.from(registryId, 'base64url').toString(), index: Number(index) }
}

/** Adds a job that publishes the pending revocation of an exchange that the unit deletes. */
export const continueRevocation = (unit: UnitOfWork, record: StoredRecord): void => {
  const revocable = revocableOf(record)
  if (revocable === undefined || revocationOf(record)?.state !== 'pending') return
  enqueue(unit, { tenant: unit.tenant, type: 'revocation-list', id: orphanJobId(revocable) })
}

/** Revoked indexes of a registry whose publication is not recorded yet. */
export const pendingIndexes = async (unit: UnitOfWork, registryId: string): Promise<number[]> =>
  (await unit.queryAll(pendingRevocations(unit.tenant, legacyId(registryId)))).map(
    (item) => pendingRevocationItem.decode(item).index,
  )
