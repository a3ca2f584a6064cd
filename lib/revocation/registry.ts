/**
 * Revocation registries of a credential definition: their used indexes, their jobs, and the objects that an operator
 * must write to a ledger.
 */

import { type RegistryKey, registrySortKey, registryWriteItem } from '../anoncreds/ledger-objects.ts'
import { AgentError } from '../errors.ts'
import { enqueue, type JobKey, type JobType, jobItem } from '../jobs/job.ts'
import { isObject, type JsonObject } from '../json.ts'
import { log } from '../log.ts'
import type { StoredCredentialDefinition } from '../records/credential-definition.ts'
import { credentialDefinitionRecords } from '../records/kinds.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { integer, text } from '../store/item-fields.ts'
import { address, digest } from '../store/keys.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** The revocation registries of a credential definition, by number. */
export const registryPartition = (tenant: string, credentialDefinitionId: string): string =>
  `${tenant}|revocation-registry|${digest(credentialDefinitionId)}`

export const registryItem = defineItem(
  'revocation-registry',
  ({ tenant, credentialDefinitionId, number }: RegistryKey) =>
    address(registryPartition(tenant, credentialDefinitionId), registrySortKey(number)),
  {
    number: integer(),
    /** Id of the registry's definition. */
    registryId: text(),
    /** `maxCredNum`. Its indexes are 1 to `size` - 1, because the libraries in use reject the last one. */
    size: integer(),
    /** The last used index; 0 if there is none. */
    taken: integer(),
  },
  {
    CredentialDefinitionRecord: ({ tenant, value }) => [
      registryPartition(tenant, String(value.credentialDefinitionId)),
    ],
  },
)
export type Registry = Stored<typeof registryItem>

/** Share of used indexes at which the next registry is created. */
const REPLACEMENT_SHARE = 0.8

export const lastIndex = ({ size }: Pick<Registry, 'size'>): number => size - 1

/** Whether to create the next registry. */
export const isNearlyFull = ({ size, taken }: Pick<Registry, 'size' | 'taken'>): boolean =>
  taken >= Math.floor(lastIndex({ size }) * REPLACEMENT_SHARE)

export interface NewRegistry extends RegistryKey {
  /** `maxCredNum`. */
  size: number
}

const ID = /^(\d+)\.(\d+)\.(.+)$/s

/** Ids on an Indy ledger contain a tag, which may have any character. */
const escaped = (id: string): string => id.replace(/[%|]/g, encodeURIComponent)

const jobOf = (
  { tenant, credentialDefinitionId, number, size }: NewRegistry,
  type: JobType = 'revocation-registry',
): JobKey => ({ tenant, type, id: `${number}.${size}.${escaped(credentialDefinitionId)}` })

/** The registry of a job. Throws `internal` if the job's id does not name one. */
export const registryOfJob = ({ tenant, id }: JobKey): NewRegistry => {
  const [, number, size, definition] = ID.exec(id) ?? []
  if (definition === undefined) throw new AgentError('internal', `the job ${id} does not name a registry`)
  const credentialDefinitionId = definition.replace(/%25|%7C/g, decodeURIComponent)
  return { tenant, credentialDefinitionId, number: Number(number), size: Number(size) }
}

/** Requests the first registry of a definition, in the transaction that publishes the definition. */
export const enqueueFirstRegistry = (unit: UnitOfWork, added: Omit<NewRegistry, 'number'>): void =>
  enqueue(unit, jobOf({ ...added, number: 1 }))

/**
 * Requests a registry in its own transaction, unless it exists or was requested. Returns whether a ledger's operator
 * must write it. Throws `store.unavailable`, `store.conflict`.
 */
export const ensureRegistry = (added: NewRegistry): Promise<boolean> =>
  transaction(added.tenant, async (unit) => {
    const [registry, job, write] = await Promise.all([
      unit.load(registryItem, added),
      unit.load(jobItem, jobOf(added)),
      unit.load(registryWriteItem, added),
    ])
    if (registry === undefined && job === undefined && write === undefined) enqueue(unit, jobOf(added))
    return write !== undefined
  })

interface Write {
  /** Id of the registry's definition. */
  registryId: string
  /** Prepared by the AnonCreds registry. */
  transaction: unknown
}

const itemOf = (registry: NewRegistry, { registryId, transaction }: Write) => {
  if (!isObject(transaction)) throw new AgentError('internal', 'the registry returned no transaction to write')
  return registryWriteItem.encode({ ...registry, registryId, transaction, since: new Date().toISOString() })
}

/**
 * Announces a new object: its count in the definition's record changes, which is an event. The log informs the
 * operator.
 */
const announce = async (unit: UnitOfWork, { credentialDefinitionId }: RegistryKey, { registryId }: Write) => {
  for (const record of await unit.find(unit.tenant, credentialDefinitionRecords.type, { credentialDefinitionId })) {
    const { ledgerObjectsAdded = 0 } = record.value as Partial<StoredCredentialDefinition>
    const updatedAt = new Date().toISOString()
    await unit.update({ ...record, value: { ...record.value, ledgerObjectsAdded: ledgerObjectsAdded + 1, updatedAt } })
  }
  unit.afterCommit(() =>
    log('info', 'ledger transaction waits for the operator', {
      event: 'ledger.write_wanted',
      ...{ tenant: unit.tenant, registryId },
    }),
  )
}

/**
 * Starts waiting for the operator; the job `registry-write` polls the ledger. Conflicts if a write of the registry is
 * waiting already.
 */
export const waitForWrite = async (unit: UnitOfWork, registry: NewRegistry, write: Write): Promise<void> => {
  unit.create(itemOf(registry, write))
  enqueue(unit, jobOf(registry, 'registry-write'))
  await announce(unit, registry, write)
}

/** Waits for the next object in the same job. */
export const waitForNextWrite = async (
  unit: UnitOfWork,
  registry: NewRegistry,
  write: Write,
  since: string,
): Promise<void> => {
  unit.replace(itemOf(registry, write), registryWriteItem.attributes({ since }))
  await announce(unit, registry, write)
}

/** Whether an entry revokes an index. */
export const revokes = ({ transaction }: { transaction: JsonObject }, index: number): boolean => {
  const { request } = transaction
  const operation = isObject(request) ? request.operation : undefined
  const value = isObject(operation) ? operation.value : undefined
  return isObject(value) && Array.isArray(value.revoked) && value.revoked.includes(index)
}
