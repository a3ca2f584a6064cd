/** Allocates indexes of revocation registries, each to one credential only. */

import { AgentError, isAgentError } from '../errors.ts'
import type { StoredCredentialDefinition } from '../records/credential-definition.ts'
import { credentialDefinitionRecords } from '../records/kinds.ts'
import { readTagged } from '../store/record-reads.ts'
import { queryPage } from '../store/table.ts'
import { updateIf } from '../store/write.ts'
import {
  ensureRegistry,
  isNearlyFull,
  lastIndex,
  type NewRegistry,
  type Registry,
  registryItem,
  registryPartition,
} from './registry.ts'

/**
 * Allocates the next free index of a definition's registries with an atomic update outside of any transaction: an
 * unused index is lost. Requests the next registry if this one is nearly full, and the first one if its creation has
 * failed. Throws `revocation.no_index` if no registry has a free index yet, and `store.unavailable`.
 */
export const allocateRevocationIndex = async (tenant: string, credentialDefinitionId: string) => {
  // Only the two newest matter, because the next registry is created while the previous one has free indexes.
  const { items } = await queryPage(registryPartition(tenant, credentialDefinitionId), { limit: 2, descending: true })
  const registries = items.map(registryItem.decode)
  const key = { tenant, credentialDefinitionId }
  const newest = registries[0]
  if (newest === undefined) throw noIndex(await requestFirst(key))
  for (const registry of registries.toReversed()) {
    const index = await allocateFrom({ ...key, ...registry })
    if (index === undefined) continue
    if (registry === newest && isNearlyFull({ ...registry, taken: index }))
      await requestRegistry({ ...key, ...next(registry) })
    return { registryId: registry.registryId, index }
  }
  throw noIndex(await requestRegistry({ ...key, ...next(newest) }))
}

const next = ({ number, size }: Registry): Pick<Registry, 'number' | 'size'> => ({ number: number + 1, size })

type TenantRegistry = Registry & { tenant: string; credentialDefinitionId: string }

/** The index; undefined if the registry is full. */
const allocateFrom = async (registry: TenantRegistry): Promise<number | undefined> => {
  if (registry.taken >= lastIndex(registry)) return undefined
  const item = await updateIf(
    registryItem.addressOf(registry),
    { add: { taken: 1 } },
    { below: registryItem.attributes({ taken: lastIndex(registry) }) },
  )
  return item && registryItem.decode(item).taken
}

/**
 * Requests the first registry, which was requested with the definition but does not exist yet or could not be created.
 * Returns the same as `requestRegistry`.
 */
const requestFirst = async ({
  tenant,
  credentialDefinitionId,
}: Omit<TenantRegistry, keyof Registry>): Promise<boolean> => {
  const tagged = await readTagged(tenant, credentialDefinitionRecords, 'credentialDefinitionId', credentialDefinitionId)
  const size = tagged
    .map(({ value }) => value as Partial<StoredCredentialDefinition>)
    .find(({ state }) => state === 'finished')?.revocationRegistrySize
  if (size === undefined) return false
  return requestRegistry({ tenant, credentialDefinitionId, number: 1, size })
}

/**
 * Returns whether a ledger's operator must write the registry. Concurrent offers request the same registry, so a
 * conflict is not an error.
 */
const requestRegistry = async (registry: NewRegistry): Promise<boolean> => {
  try {
    return await ensureRegistry(registry)
  } catch (error) {
    if (!isAgentError(error, 'store.conflict')) throw error
    return false
  }
}

/** `Retry-After` in seconds, for an offer that waits for a job, or for a write of a ledger's operator. */
export const secondsUntilReady = (awaitsLedger: boolean): number => (awaitsLedger ? 60 : 2)

const noIndex = (awaitsLedger: boolean): AgentError =>
  new AgentError(
    'revocation.no_index',
    awaitsLedger
      ? 'a revocation registry must be written to the ledger: the credential definition shows it in ledgerObjects'
      : 'a revocation registry of the credential definition is being created',
    { retryAfter: secondsUntilReady(awaitsLedger) },
  )
