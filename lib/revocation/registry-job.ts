/** The job that makes a revocation registry of a credential definition. */
import { enqueue } from '../jobs/enqueue.ts'
import { type JobKey, jobItem } from '../jobs/job-item.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type RegistryKey, registryItem } from './registry-item.ts'

export interface WantedRegistry extends RegistryKey {
  /** `maxCredNum`. */
  size: number
}

const ID = /^(\d+)\.(\d+)\.(.+)$/s

/** The id of a job has no `|`, which a tag in the id of an Indy ledger may have. */
const escaped = (id: string): string => id.replace(/[%|]/g, encodeURIComponent)
const unescaped = (id: string): string => id.replace(/%25|%7C/g, decodeURIComponent)

const jobOf = ({ tenant, credentialDefinitionId, number, size }: WantedRegistry): JobKey => ({
  tenant,
  type: 'revocation-registry',
  id: `${number}.${size}.${escaped(credentialDefinitionId)}`,
})

/** What a job is to make; undefined where its id says nothing of the kind. */
export const wantedRegistry = ({ tenant, id }: JobKey): WantedRegistry | undefined => {
  const [, number, size, credentialDefinitionId] = ID.exec(id) ?? []
  return credentialDefinitionId === undefined
    ? undefined
    : { tenant, credentialDefinitionId: unescaped(credentialDefinitionId), number: Number(number), size: Number(size) }
}

/** Asks for the first registry of a definition, in the transaction that publishes the definition. */
export const enqueueFirstRegistry = (unit: UnitOfWork, wanted: Omit<WantedRegistry, 'number'>): void =>
  enqueue(unit, jobOf({ ...wanted, number: 1 }))

/** Asks for a registry in a transaction of its own, unless it is there or asked for. Throws `store.unavailable`, `store.conflict`. */
export const ensureRegistry = (wanted: WantedRegistry): Promise<void> =>
  transaction(wanted.tenant, async (unit) => {
    const [made, asked] = await Promise.all([unit.load(registryItem, wanted), unit.load(jobItem, jobOf(wanted))])
    if (made === undefined && asked === undefined) enqueue(unit, jobOf(wanted))
  })
