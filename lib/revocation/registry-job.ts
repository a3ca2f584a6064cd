/** The jobs of a revocation registry: one creates it, another polls its ledger for an operator's writes. */
import { enqueue, type JobKey, type JobType, jobItem } from '../jobs/job.ts'
import { registryWriteItem } from '../store/ledger-objects.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type RegistryKey, registryItem } from './registry-item.ts'

export interface WantedRegistry extends RegistryKey {
  /** `maxCredNum`. */
  size: number
}

const ID = /^(\d+)\.(\d+)\.(.+)$/s

/** Ids on an Indy ledger contain a tag, which may have any character. */
const escaped = (id: string): string => id.replace(/[%|]/g, encodeURIComponent)

const jobOf = (
  { tenant, credentialDefinitionId, number, size }: WantedRegistry,
  type: JobType = 'revocation-registry',
): JobKey => ({ tenant, type, id: `${number}.${size}.${escaped(credentialDefinitionId)}` })

/** The registry that a job should create; undefined if its id names none. */
export const wantedRegistry = ({ tenant, id }: JobKey): WantedRegistry | undefined => {
  const [, number, size, definition] = ID.exec(id) ?? []
  if (definition === undefined) return undefined
  const credentialDefinitionId = definition.replace(/%25|%7C/g, decodeURIComponent)
  return { tenant, credentialDefinitionId, number: Number(number), size: Number(size) }
}

/** Requests the first registry of a definition, in the transaction that publishes the definition. */
export const enqueueFirstRegistry = (unit: UnitOfWork, wanted: Omit<WantedRegistry, 'number'>): void =>
  enqueue(unit, jobOf({ ...wanted, number: 1 }))

/** Requests a registry in its own transaction, unless it exists or was requested. Throws `store.unavailable`, `store.conflict`. */
export const ensureRegistry = (wanted: WantedRegistry): Promise<void> =>
  transaction(wanted.tenant, async (unit) => {
    const found = await Promise.all([
      unit.load(registryItem, wanted),
      unit.load(jobItem, jobOf(wanted)),
      unit.load(registryWriteItem, wanted),
    ])
    if (found.every((item) => item === undefined)) enqueue(unit, jobOf(wanted))
  })

/** Adds the job that polls the ledger for a registry's writes. */
export const enqueueRegistryWrite = (unit: UnitOfWork, registry: WantedRegistry): void =>
  enqueue(unit, jobOf(registry, 'registry-write'))
