/**
 * The connection record (Aries RFC 0023 and 0160): its schema, how a stored one is shown, and when unfinished
 * handshakes expire.
 */
import * as v from 'valibot'
import { defineRecord, EVERY, isStateChange } from './define-record.ts'
import { type RecordContent, recordSchema } from './record-json.ts'

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

/** Fields that the record and its tags share. */
const SHARED_FIELDS = {
  state: v.picklist(CONNECTION_STATES),
  role: v.picklist(CONNECTION_ROLES),
  /** DID of this agent in this connection. */
  did: v.optional(v.string()),
  theirDid: v.optional(v.string()),
  /** The out-of-band record of the invitation that led to the connection. */
  outOfBandId: v.optional(v.string()),
  /** DID that the invitation names as its service, if it names one. */
  invitationDid: v.optional(v.string()),
  threadId: v.optional(v.string()),
  mediatorId: v.optional(v.string()),
  connectionTypes: v.optional(v.array(v.string())),
  /** Former DIDs, from before a rotation. */
  previousDids: v.optional(v.array(v.string())),
  previousTheirDids: v.optional(v.array(v.string())),
}

export const ConnectionRecord = recordSchema({
  ...SHARED_FIELDS,
  theirLabel: v.optional(v.string()),
  alias: v.optional(v.string()),
  imageUrl: v.optional(v.string()),
  autoAcceptConnection: v.optional(v.boolean()),
  /** Protocol of the handshake, such as `https://didcomm.org/didexchange/1.x`. */
  protocol: v.optional(v.string()),
  errorMessage: v.optional(v.string()),
  _tags: v.looseObject(SHARED_FIELDS),
})

export type ConnectionRecord = v.InferOutput<typeof ConnectionRecord>

/** Seconds after which an unfinished handshake of another agent expires. */
const HANDSHAKE_LIFETIME = 7 * 24 * 60 * 60

/**
 * When a DID or key expires that was made for a handshake at `createdAt`, unless the handshake is completed: never
 * before its connection, which may be made a little later.
 */
export const handshakePartExpiry = (createdAt: Date): number =>
  Math.floor(createdAt.getTime() / 1000) + HANDSHAKE_LIFETIME + 24 * 60 * 60

/** Whether something that expires at `expiresAt` (epoch seconds) lasts as long as a handshake that begins now. */
export const mayOutlive = (expiresAt: number, now: Date): boolean =>
  expiresAt >= Math.floor(now.getTime() / 1000) + HANDSHAKE_LIFETIME

/** Tag of DIDs that were made for a handshake which anybody may start: they expire unless it is completed. */
export const OF_UNFINISHED_HANDSHAKE = 'ofUnfinishedHandshake'

/** Expiry of a DID's record in epoch seconds; undefined: it never expires. */
export const didExpiry = ({ value, tags }: RecordContent): number | undefined =>
  tags[OF_UNFINISHED_HANDSHAKE] === true ? handshakePartExpiry(new Date(String(value.createdAt))) : undefined

/** Whether another agent started the handshake and has not yet shown that it received our response. */
const isUnfinished = ({ role, state }: Record<string, unknown>): boolean =>
  role === 'responder' && (state === 'request-received' || state === 'response-sent')

/** Name of the list of the unfinished handshakes of an invitation in this state. */
export const unfinishedList = (outOfBandId: string, state: 'request-received' | 'response-sent'): string =>
  `${state} ${outOfBandId}`

const unfinishedListOf = (value: Record<string, unknown>): string | undefined =>
  isUnfinished(value) && typeof value.outOfBandId === 'string' ? `${value.state} ${value.outOfBandId}` : undefined

/**
 * Expiry of a connection in epoch seconds; undefined: it never expires. A handshake that was abandoned before
 * completion keeps its expiry (`before`). A connection that was completed once never expires.
 */
const connectionExpiry = ({ value }: RecordContent, before: number | undefined): number | undefined => {
  if (value.state === 'abandoned') return before
  if (!isUnfinished(value)) return undefined
  return Math.floor(Date.parse(String(value.createdAt)) / 1000) + HANDSHAKE_LIFETIME
}

export const connectionRecords = /* @__PURE__ */ defineRecord({
  type: 'ConnectionRecord',
  schema: ConnectionRecord,
  keys: 'connection',
  parameter: 'connectionId',
  states: CONNECTION_STATES,
  indexes: {
    [EVERY]: { name: EVERY, copy: true },
    did: { name: 'did', copy: true },
    previousDids: { name: 'did', copy: true },
    theirDid: { name: 'theirDid', copy: true },
    previousTheirDids: { name: 'theirDid', copy: true },
    threadId: { name: 'threadId' },
    outOfBandId: { name: 'outOfBandId', copy: true },
    alias: { name: 'alias', copy: true, of: ({ alias }) => (typeof alias === 'string' ? alias : undefined) },
    unfinished: { name: 'unfinished', of: unfinishedListOf },
    invitationDid: { name: 'invitationDid', copy: true },
  },
  lists: ['outOfBandId', 'theirDid', 'did', 'alias'],
  expiry: connectionExpiry,
  events: {
    'connection.state_changed': { summary: 'The state of a connection has changed', isChange: isStateChange },
  },
  ids: ['outOfBandId', 'threadId'],
})
