/**
 * Items of message pickup, for wallets without an endpoint: a connection's queue, its messages, and the usage of an
 * agent.
 */

import * as v from 'valibot'
import { SentBasicMessage } from '../outbox/messages/index.ts'
import type { Owner } from '../records/owners.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { inKey, integer, isoTime, json, keyPart, optional, packedText, text } from '../store/item-fields.ts'
import { address, shardOf } from '../store/keys.ts'

export interface QueueKey {
  tenant: string
  connectionId: string
}

/** Partition of a connection's pickup queue: the queue's own item, then its messages by UUID. */
export const pickupPartition = ({ tenant, connectionId }: QueueKey): string => `${tenant}|pickup|${connectionId}`

/** Number of shards of the usage count, so that messages to many wallets do not all update the same item. */
const USAGE_SHARDS = 16

const usagePartition = (tenant: string, shard: number): string => `${tenant}|pickup-usage|${shard}`

/** Partition of a share of an agent's connections: their queues, and the usage. */
const sharePartition = ({ tenant, connectionId }: QueueKey): string =>
  usagePartition(tenant, shardOf(connectionId, USAGE_SHARDS))

const OF_CONNECTION = {
  ConnectionRecord: ({ tenant, id }: Owner) => [pickupPartition({ tenant, connectionId: id })],
}
const OF_TENANT = {
  tenant: ({ tenant }: Owner) => Array.from({ length: USAGE_SHARDS }, (_, shard) => usagePartition(tenant, shard)),
}

/** The queue exists as long as its job (expiry-job.ts). */
export const queueItem = defineItem(
  'pickup-queue',
  (key: QueueKey) => address(pickupPartition(key)),
  {
    tenant: keyPart('pk', '|', 0),
    connectionId: keyPart('pk', '|', 2),
    /** Number and bytes of the waiting messages. */
    messages: integer(),
    bytes: integer(),
  },
  OF_CONNECTION,
)
export type Queue = Stored<typeof queueItem>

/** A packed message. It does not expire: it is fetched or given up. */
export const pickupMessage = defineItem(
  'pickup-message',
  ({ id, ...key }: QueueKey & { id: string }) => address(pickupPartition(key), id),
  {
    tenant: keyPart('pk', '|', 0),
    connectionId: keyPart('pk', '|', 2),
    /** Time-ordered. */
    id: inKey('sk', text()),
    /** JSON text of the envelope. */
    payload: packedText(),
    /** The did:keys of its recipients. */
    recipients: json(v.array(v.string())),
    basicMessages: optional(json(v.array(SentBasicMessage))),
    createdAt: isoTime(),
  },
  OF_CONNECTION,
)
export type PickupMessage = Stored<typeof pickupMessage>

/** An approximate count: updated after each commit, and recounted by the jobs of the queues (usage.ts). */
export const usageItem = defineItem(
  'pickup-usage',
  (key: QueueKey) => address(sharePartition(key)),
  {
    messages: integer(),
    bytes: integer(),
    /** When it was last recounted, in ms since the epoch. */
    countedAt: optional(integer()),
  },
  OF_TENANT,
)

/** A queue in the list of its share. */
export const listedQueue = defineItem(
  'pickup-listed-queue',
  (key: QueueKey) => address(sharePartition(key), key.connectionId),
  { connectionId: inKey('sk', text()) },
  OF_TENANT,
)
