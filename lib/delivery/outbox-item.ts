/** The outbox item: what leaves the agent for one connection because of one invocation. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'

/** The stream filter and the relay know outbox items by this `kind`. */
export const OUTBOX_KIND = 'outbox'

export const OutboxMessage = v.object({ endpoint: v.string(), payload: v.string() })

/** One packed DIDComm message: `payload` is the JSON text of the envelope, as it is posted. */
export type OutboxMessage = v.InferOutput<typeof OutboxMessage>

/** A basic message among them: its record as the API shows it, or only the ids of one too large for an event. */
export const SentBasicMessage = v.object({
  record: v.looseObject({ id: v.string() }),
  truncated: v.optional(v.literal(true)),
})
export type SentBasicMessage = v.InferOutput<typeof SentBasicMessage>

export interface NewOutboxItem {
  tenant: string
  connectionId: string
  /** Time-ordered: `newOutboxId()`. */
  id: string
  /** Sent in this order. All messages of one invocation to one connection are one item. */
  messages: OutboxMessage[]
  /** Changes of the item's state are events of these. */
  basicMessages?: SentBasicMessage[]
  /** ISO 8601 */
  createdAt: string
  /** Epoch seconds. Nothing is sent from then on. */
  expiresAt: number
}

/** All that leaves for one connection, in the order of its ids. */
const outboxPartition = (tenant: string, connectionId: string): string => `${tenant}|outbox|${connectionId}`

/** The DynamoDB item that the unit of work writes. */
export const outboxItem = (item: NewOutboxItem): Record<string, AttributeValue> => ({
  pk: { S: outboxPartition(item.tenant, item.connectionId) },
  sk: { S: item.id },
  kind: { S: OUTBOX_KIND },
  tenant: { S: item.tenant },
  connectionId: { S: item.connectionId },
  messages: { S: JSON.stringify(item.messages) },
  ...(item.basicMessages !== undefined && { basicMessages: { S: JSON.stringify(item.basicMessages) } }),
  state: { S: 'pending' },
  attempts: { N: '0' },
  taken: { N: '0' },
  createdAt: { S: item.createdAt },
  expiresAt: { N: String(item.expiresAt) },
})
