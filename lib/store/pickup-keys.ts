/** The keys of what waits until another agent fetches it (message pickup). */
import { type Address, ALONE, shardOf } from './keys.ts'

/** What waits until a connection's agent fetches it: the queue itself, and behind it its messages by their UUIDs. */
export const pickupPartition = (tenant: string, connectionId: string): string => `${tenant}|pickup|${connectionId}`

export const pickupQueueAddress = (key: { tenant: string; connectionId: string }): Address => ({
  pk: pickupPartition(key.tenant, key.connectionId),
  sk: ALONE,
})

export const pickupMessageAddress = (key: { tenant: string; connectionId: string; id: string }): Address => ({
  pk: pickupPartition(key.tenant, key.connectionId),
  sk: key.id,
})

/** So that messages to many wallets at once do not all count in the same item. */
const USAGE_SHARDS = 16

/** How much waits in the pickup queues of an agent: one item for a share of its connections. */
export const pickupUsageAddress = (key: { tenant: string; connectionId: string }): Address => ({
  pk: `${key.tenant}|pickup-usage|${shardOf(key.connectionId, USAGE_SHARDS)}`,
  sk: ALONE,
})
