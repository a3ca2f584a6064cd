/** The jobs of a revocation registry: one makes it, one looks for what an operator writes of it. */
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

/** An id on an Indy ledger has a tag in it, and a tag may have any character. */
const escaped = (id: string): string => id.replace(/[%|]/g, encodeURIComponent)

const jobOf = (
  { tenant, credentialDefinitionId, number, size }: WantedRegistry,
  type: JobType = 'revocation-registry',
): JobKey => ({ tenant, type, id: `${number}.${size}.${escaped(credentialDefinitionId)}` })

/** What a job is to make; undefined where its id says nothing of the kind. */
export const wantedRegistry = ({ tenant, id }: JobKey): WantedRegistry | undefined => {
  const [, number, size, definition] = ID.exec(id) ?? []
  if (definition === undefined) return undefined
  const credentialDefinitionId = definition.replace(/%25|%7C/g, decodeURIComponent)
  return { tenant, credentialDefinitionId, number: Number(number), size: Number(size) }
}

/** Asks for the first registry of a definition, in the transaction that publishes the definition. */
export const enqueueFirstRegistry = (unit: UnitOfWork, wanted: Omit<WantedRegistry, 'number'>): void =>
  enqueue(unit, jobOf({ ...wanted, number: 1 }))

/** Asks for a registry in a transaction of its own, unless it is there or asked for. Throws `store.unavailable`, `store.conflict`. */
export const ensureRegistry = (wanted: WantedRegistry): Promise<void> =>
  transaction(wanted.tenant, async (unit) => {
    const found = await Promise.all([
      unit.load(registryItem, wanted),
      unit.load(jobItem, jobOf(wanted)),
      unit.load(registryWriteItem, wanted),
    ])
    if (found.every((item) => item === undefined)) enqueue(unit, jobOf(wanted))
  })

/** The job that looks for what is to be written of a registry. */
export const enqueueRegistryWrite = (unit: UnitOfWork, registry: WantedRegistry): void =>
  enqueue(unit, jobOf(registry, 'registry-write'))
