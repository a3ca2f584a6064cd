/** The basic message record (Aries RFC 0095): its schema and how a stored one is shown. */
import * as v from 'valibot'
import { type RecordContent, type RecordJson, recordSchema, Timestamp, toRecordJson } from './record-json.ts'

export const BASIC_MESSAGE_ROLES = ['sender', 'receiver'] as const

export const BasicMessageRecord = recordSchema({
  /** When the sender says that it was sent. */
  sentTime: Timestamp,
  content: v.string(),
  connectionId: v.string(),
  role: v.picklist(BASIC_MESSAGE_ROLES),
  threadId: v.optional(v.string()),
  _tags: v.looseObject({ role: v.picklist(BASIC_MESSAGE_ROLES), connectionId: v.string() }),
})

export type BasicMessageRecord = v.InferOutput<typeof BasicMessageRecord>

export const toBasicMessageJson = (stored: RecordContent): RecordJson => toRecordJson(stored)
