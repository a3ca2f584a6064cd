/** Keys of what waits until a wallet without an endpoint fetches it. */
import { type Address, address, shardOf } from '../store/keys.ts'

export interface QueueKey {
  tenant: string
  connectionId: string
}

/** Partition of a connection's pickup queue: the queue's own item, then its messages by UUID. */
export const pickupPartition = (tenant: string, connectionId: string): string => `${tenant}|pickup|${connectionId}`

export const pickupQueueAddress = ({ tenant, connectionId }: QueueKey): Address =>
  address(pickupPartition(tenant, connectionId))

export const pickupMessageAddress = ({ tenant, connectionId, id }: QueueKey & { id: string }): Address =>
  address(pickupPartition(tenant, connectionId), id)

/** Shards of the usage count, so that messages to many wallets do not all update the same item. */
const USAGE_SHARDS = 16

/** Messages and bytes in the queues of a share of an agent's connections. The same partition lists these queues. */
export const pickupUsageAddress = ({ tenant, connectionId }: QueueKey): Address =>
  address(`${tenant}|pickup-usage|${shardOf(connectionId, USAGE_SHARDS)}`)

export const listedQueueAddress = (key: QueueKey): Address => ({ ...pickupUsageAddress(key), sk: key.connectionId })
