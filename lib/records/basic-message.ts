/** The basic message record (Aries RFC 0095): its schema. */
import * as v from 'valibot'
import { DELIVERY, Delivery } from './delivery.ts'
import { recordSchema, Timestamp } from './record-json.ts'

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
