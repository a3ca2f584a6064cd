/** The out-of-band record (Aries RFC 0434): its schema. */
import * as v from 'valibot'
import { recordSchema } from './record-json.ts'

export const OUT_OF_BAND_STATES = ['initial', 'await-response', 'prepare-response', 'done'] as const
export const OUT_OF_BAND_ROLES = ['sender', 'receiver'] as const

const ENDPOINT = {
  serviceEndpoint: v.optional(v.string()),
  recipientKeys: v.optional(v.array(v.string())),
  routingKeys: v.optional(v.array(v.string())),
}

/** An inline service, or a DID (Aries RFC 0434, "services"). */
const Service = v.union([
  v.string(),
  v.looseObject({
    id: v.optional(v.string()),
    type: v.optional(v.string()),
    ...ENDPOINT,
    accept: v.optional(v.array(v.string())),
  }),
])

/** A message in base64 or as JSON (Aries RFC 0017). */
const Attachment = v.looseObject({
  '@id': v.optional(v.string()),
  'mime-type': v.optional(v.string()),
  data: v.looseObject({ base64: v.optional(v.string()), json: v.optional(v.unknown()) }),
})

/** Members that invitations of both protocols share. */
export const INVITATION_MEMBERS = {
  '@type': v.string(),
  '@id': v.string(),
  label: v.optional(v.string()),
  goal: v.optional(v.string()),
  goal_code: v.optional(v.string()),
  imageUrl: v.optional(v.string()),
  accept: v.optional(v.array(v.string())),
  handshake_protocols: v.optional(v.array(v.string())),
  services: v.optional(v.array(Service)),
  'requests~attach': v.optional(v.array(Attachment)),
}

/** Members of an invitation of connections/1.0 (Aries RFC 0160). */
export const OLDER_MEMBERS = { did: v.optional(v.string()), ...ENDPOINT }

export const OutOfBandRecord = recordSchema({
  outOfBandInvitation: v.looseObject(INVITATION_MEMBERS),
  state: v.picklist(OUT_OF_BAND_STATES),
  role: v.picklist(OUT_OF_BAND_ROLES),
  alias: v.optional(v.string()),
  autoAcceptConnection: v.optional(v.boolean()),
  /** Whether it may be used for more than one connection. */
  reusable: v.optional(v.boolean()),
  /** The existing connection that is reused for the invitation. */
  reuseConnectionId: v.optional(v.string()),
  mediatorId: v.optional(v.string()),
  /** Keys that were created for inline services. */
  invitationInlineServiceKeys: v.optional(
    v.array(v.looseObject({ kmsKeyId: v.string(), recipientKeyFingerprint: v.string() })),
  ),
  _tags: v.looseObject({
    state: v.picklist(OUT_OF_BAND_STATES),
    role: v.picklist(OUT_OF_BAND_ROLES),
    invitationId: v.optional(v.string()),
    threadId: v.optional(v.string()),
    /** Thread ids of its attached requests. */
    invitationRequestsThreadIds: v.optional(v.array(v.string())),
    recipientKeyFingerprints: v.optional(v.array(v.string())),
    recipientRoutingKeyFingerprint: v.optional(v.string()),
  }),
})
