/** Keys of what waits until a wallet without an endpoint fetches it. */
import { type Address, address, shardOf } from './keys.ts'

/** Partition of a connection's pickup queue: the queue's own item, then its messages by UUID. */
export const pickupPartition = (tenant: string, connectionId: string): string => `${tenant}|pickup|${connectionId}`

export const pickupQueueAddress = (key: { tenant: string; connectionId: string }): Address =>
  address(pickupPartition(key.tenant, key.connectionId))

export const pickupMessageAddress = (key: { tenant: string; connectionId: string; id: string }): Address =>
  address(pickupPartition(key.tenant, key.connectionId), key.id)

/** Shards of the usage count, so that messages to many wallets do not all update the same item. */
const USAGE_SHARDS = 16

/** Messages and bytes in the queues of a share of an agent's connections. The same partition lists these queues. */
export const pickupUsageAddress = (key: { tenant: string; connectionId: string }): Address =>
  address(`${key.tenant}|pickup-usage|${shardOf(key.connectionId, USAGE_SHARDS)}`)

export const listedQueueAddress = (key: Parameters<typeof pickupUsageAddress>[0]): Address => {
  return { ...pickupUsageAddress(key), sk: key.connectionId }
}
