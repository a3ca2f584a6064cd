/** Keys of message pickup: queues of messages for agents without an endpoint. */
import { type Address, ALONE, shardOf } from './keys.ts'

/** Partition of a connection's queue: the queue's own item, then its messages by UUID. */
export const pickupPartition = (tenant: string, connectionId: string): string => `${tenant}|pickup|${connectionId}`

export const pickupQueueAddress = (key: { tenant: string; connectionId: string }): Address => ({
  pk: pickupPartition(key.tenant, key.connectionId),
  sk: ALONE,
})

export const pickupMessageAddress = (key: { tenant: string; connectionId: string; id: string }): Address => ({
  pk: pickupPartition(key.tenant, key.connectionId),
  sk: key.id,
})

/** Shards of the usage count, so that messages to many wallets do not all update the same item. */
const USAGE_SHARDS = 16

/** Messages and bytes in the queues of a share of an agent's connections. */
export const pickupUsageAddress = (key: { tenant: string; connectionId: string }): Address => ({
  pk: `${key.tenant}|pickup-usage|${shardOf(key.connectionId, USAGE_SHARDS)}`,
  sk: ALONE,
})
