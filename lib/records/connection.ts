/** The connection record (Aries RFC 0023 and 0160): its schema and how a stored one is shown. */
import * as v from 'valibot'
import { type RecordContent, type RecordJson, recordSchema, toRecordJson } from './record-json.ts'

/** States of did-exchange (Aries RFC 0023), in Credo's spelling; Credo keeps them for the connections protocol too. */
export const CONNECTION_STATES = [
  'start',
  'invitation-sent',
  'invitation-received',
  'request-sent',
  'request-received',
  'response-sent',
  'response-received',
  'completed',
  'abandoned',
] as const

export const CONNECTION_ROLES = ['requester', 'responder'] as const

export const ConnectionRecord = recordSchema({
  state: v.picklist(CONNECTION_STATES),
  role: v.picklist(CONNECTION_ROLES),
  did: v.optional(v.string()),
  theirDid: v.optional(v.string()),
  theirLabel: v.optional(v.string()),
  /** The out-of-band record whose invitation it came of. */
  outOfBandId: v.optional(v.string()),
  threadId: v.optional(v.string()),
  _tags: v.looseObject({ state: v.picklist(CONNECTION_STATES), role: v.picklist(CONNECTION_ROLES) }),
})

export type ConnectionRecord = v.InferOutput<typeof ConnectionRecord>

export const toConnectionJson = (stored: RecordContent): RecordJson => toRecordJson(stored)
