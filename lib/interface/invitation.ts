/** Request and response fields of operations that create an invitation around a request or an offer. */
import * as v from 'valibot'
import { INVITATION_MEMBERS, OLDER_MEMBERS, OutOfBandRecord } from '../records/out-of-band.ts'
import { Did, HttpUrl, ThreadId, text } from './fields.ts'

/** Fields of the body. */
export const INVITATION_FIELDS = {
  goalCode: v.optional(text(255)),
  /** Becomes `~thread.pthid` of what is carried, in the place of the invitation's id, which wallets of Credo insist on. */
  parentThreadId: v.optional(ThreadId),
  label: v.optional(text(255)),
  imageUrl: v.optional(HttpUrl),
  /** A key of this agent: raw base58 or a did:key. */
  recipientKey: v.optional(text(512)),
  /** A DID of this agent. */
  invitationDid: v.optional(Did),
  /** False: the answer comes without a connection, to a key in the invitation itself. */
  handshake: v.optional(v.boolean(), true),
}

/** Fields of the answer. */
export const INVITATION_RESULT = {
  /** The public URL of the service with `?oob=`. */
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
  /** The DID that names the agent in the invitation: of a service with a key of its own, that key's did:key. */
  invitationDid: v.string(),
}
