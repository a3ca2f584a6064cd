/** The basic message record (Aries RFC 0095): its schema, its delivery, and how a stored one is shown. */
import * as v from 'valibot'
import { isObject } from '../json.ts'
import { defineRecord } from './define-record.ts'
import { type RecordContent, type RecordJson, recordSchema, Timestamp, toRecordJson } from './record-json.ts'

/** Name of the delivery in the metadata of a sent message. */
export const DELIVERY = '_agent/delivery'

const DELIVERY_STATES = ['pending', 'waiting-for-pickup', 'delivered', 'failed'] as const

export const Delivery = v.object({
  /** `waiting-for-pickup`: the wallet has no endpoint and fetches its messages. */
  state: v.picklist(DELIVERY_STATES),
  /** Finished attempts. */
  attempts: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** Error of the last failed attempt. */
  lastError: v.optional(v.string()),
  /** Only while pending, after a failed attempt. */
  nextAttemptAt: v.optional(Timestamp),
  deliveredAt: v.optional(Timestamp),
})
export type Delivery = v.InferOutput<typeof Delivery>

export const BASIC_MESSAGE_ROLES = ['sender', 'receiver'] as const

export const BasicMessageRecord = recordSchema({
  /** Time of sending, as the sender states it. */
  sentTime: Timestamp,
  content: v.string(),
  connectionId: v.string(),
  role: v.picklist(BASIC_MESSAGE_ROLES),
  threadId: v.optional(v.string()),
  parentThreadId: v.optional(v.string()),
  /** Delivery of a sent message. */
  metadata: v.looseObject({ [DELIVERY]: v.optional(Delivery) }),
  _tags: v.looseObject({
    role: v.picklist(BASIC_MESSAGE_ROLES),
    connectionId: v.string(),
    threadId: v.optional(v.string()),
    parentThreadId: v.optional(v.string()),
  }),
})

export type BasicMessageRecord = v.InferOutput<typeof BasicMessageRecord>

/** The record with this delivery in its metadata. */
export const withDelivery = <T extends Record<string, unknown>>(json: T, delivery: Delivery): T => ({
  ...json,
  metadata: { ...(isObject(json.metadata) ? json.metadata : {}), [DELIVERY]: delivery },
})

/** `delivery`: the current one; the record itself holds the delivery at the time of sending. */
export const toBasicMessageJson = ({
  delivery,
  ...stored
}: RecordContent & { delivery?: Delivery | undefined }): RecordJson => {
  const json = toRecordJson(stored)
  return delivery === undefined ? json : withDelivery(json, delivery)
}

export const basicMessageRecords = /* @__PURE__ */ defineRecord({
  type: 'BasicMessageRecord',
  schema: BasicMessageRecord,
  keys: 'basic-message',
  indexes: { threadId: { name: 'threadId' }, connectionId: { name: 'connectionId', copy: true } },
  // Sent messages are events of their outbox item: the stream orders the changes of one item, but not those of two
  // items of a transaction.
  events: {
    'basic_message.received': {
      summary: 'A basic message was received',
      isChange: (after, before) => before === undefined && after.role === 'receiver',
    },
    'basic_message.sent': { summary: 'A basic message was created and will be sent to the wallet' },
    'basic_message.delivered': { summary: 'A basic message was delivered to the wallet' },
    'basic_message.failed': { summary: 'The delivery of a basic message has failed for good, after all attempts' },
  },
  ids: ['connectionId', 'threadId'],
  view: toBasicMessageJson,
})
