/** Fields of operations that create an invitation with a request or an offer in it. */
import * as v from 'valibot'
import { INVITATION_MEMBERS, OLDER_MEMBERS, OutOfBandRecord } from '../records/out-of-band.ts'
import { Did, HttpUrl, ThreadId, text } from './fields.ts'

/** In the request. */
export const INVITATION_FIELDS = {
  goalCode: v.optional(text(255)),
  /**
   * `~thread.pthid` of the message in the invitation, instead of the invitation's id, which wallets on Credo require.
   */
  parentThreadId: v.optional(ThreadId),
  label: v.optional(text(255)),
  imageUrl: v.optional(HttpUrl),
  /** A key of this agent: raw base58 or a did:key. */
  recipientKey: v.optional(text(512)),
  /** A DID of this agent. */
  invitationDid: v.optional(Did),
  /** False: the wallet answers without a connection, to a key in the invitation. */
  handshake: v.optional(v.boolean(), true),
}

/** In the response. */
export const INVITATION_RESULT = {
  /** The public URL of the service, with the invitation in `?oob=`. */
  invitationUrl: v.string(),
  invitation: v.looseObject({
    ...INVITATION_MEMBERS,
    ...OLDER_MEMBERS,
    '~thread': v.optional(v.looseObject({ pthid: v.optional(v.string()), thid: v.optional(v.string()) })),
    /** Equal to `@type`. */
    messageType: v.string(),
  }),
  /** A URL of the invitation that is short enough for a QR code. */
  shortInvitationUrl: v.string(),
  outOfBandRecord: OutOfBandRecord,
  /** The DID of the agent in the invitation; the did:key of the invitation's own key if the service is inline. */
  invitationDid: v.string(),
}
