/** The connection record (Aries RFC 0023 and 0160): its schema. */
import * as v from 'valibot'
import { recordSchema } from './record-json.ts'

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
