/** Contracts of invitations, sent and received (out-of-band, Aries RFC 0434). */
import * as v from 'valibot'
import { ConnectionRecord } from '../records/connection.ts'
import { InvitationMessage } from '../records/invitation-message.ts'
import { OutOfBandRecord } from '../records/out-of-band.ts'
import { EntityId } from '../records/tenant.ts'
import { ACTION, actionOn, DELETION, defineContract, lookupOf, QUERY } from './contract.ts'
import { Did, exactly, HttpUrl, Paging, text } from './fields.ts'
import { INVITATION_RESULT, INVITER } from './invitation.ts'

/** Any minor version, in Credo's spelling. */
const HandshakeProtocols = v.pipe(
  v.array(v.picklist(['https://didcomm.org/didexchange/1.x', 'https://didcomm.org/connections/1.x'])),
  v.minLength(1),
  v.maxLength(2),
)

/** The inviter, and how it treats those who accept the invitation. */
const INVITING = {
  ...INVITER,
  /** Name for the resulting connections, visible to this agent only. */
  alias: v.optional(text(255)),
  multiUseInvitation: v.optional(v.boolean(), false),
  autoAcceptConnection: v.optional(v.boolean(), true),
}

export const CreateInvitation = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  operationId: 'CreateInvitation',
  path: '/oob/create-invitation',
  summary: 'Create an invitation to connect',
  description:
    'For an invitation without a handshake, which contains a request or an offer, see CreateRequest and CreateOfferOob.',
  body: exactly({
    ...INVITING,
    goal: v.optional(text(2000)),
    goalCode: v.optional(text(255)),
    handshake: v.optional(v.literal(true)),
    handshakeProtocols: v.optional(HandshakeProtocols),
    /** A DID of this agent with a DIDComm service. */
    invitationDid: v.optional(Did),
  }),
  responses: { 200: v.strictObject(INVITATION_RESULT) },
}))

export const CreateLegacyInvitation = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  operationId: 'CreateLegacyInvitation',
  path: '/oob/create-legacy-invitation',
  summary: 'Create an invitation of the connections protocol (Aries RFC 0160)',
  body: exactly(INVITING),
  responses: {
    200: v.strictObject({
      ...INVITATION_RESULT,
      /** The key of the invitation, generated if the caller named none. */
      recipientKey: v.optional(v.string()),
    }),
  },
}))

/** The invitee's own details, and how it accepts an invitation. */
const INVITEE = {
  label: v.optional(text(255)),
  alias: v.optional(text(255)),
  autoAcceptConnection: v.optional(v.boolean(), true),
  /** A DID of this agent with a DIDComm service, for the new connection. */
  ourDid: v.optional(Did),
}

const ACCEPTING = {
  ...INVITEE,
  imageUrl: v.optional(HttpUrl),
  /** Reuse an existing connection with the inviter's DID, if there is one. */
  reuseConnection: v.optional(v.boolean(), false),
}

const RECEIVING = {
  ...ACCEPTING,
  autoAcceptInvitation: v.optional(v.boolean(), true),
  /** Accepted and ignored: no operation waits for another agent. */
  acceptInvitationTimeoutMs: v.optional(v.number()),
}

const Received = v.strictObject({
  outOfBandRecord: OutOfBandRecord,
  /** The new or reused connection. */
  connectionRecord: v.optional(ConnectionRecord),
})

const REQUESTS =
  'The agent handles the first attached request that it supports: immediately if the connection is ready or there ' +
  'is none, otherwise when the handshake is completed.'

export const ReceiveInvitation = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  operationId: 'ReceiveInvitation',
  path: '/oob/receive-invitation',
  summary: 'Receive an invitation of another agent',
  description:
    `${REQUESTS} Its services are alternatives, of which at most four DIDs are resolved: 503 only if none ` +
    'is usable and one may become usable. An optional member that is null counts as absent. An invitation that was ' +
    'received before is a 409 with the ids of its record and its connection; after this connection was deleted, it can be ' +
    'received again, with a new record.',
  body: exactly({ invitation: InvitationMessage, ...RECEIVING }),
  responses: { 200: Received },
}))

export const ReceiveInvitationUrl = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  operationId: 'ReceiveInvitationUrl',
  path: '/oob/receive-invitation-url',
  summary: 'Receive an invitation by its URL',
  description:
    `${REQUESTS} A URL with \`oob\`, \`c_i\` or \`d_m\` in its query contains the invitation. Any other URL is fetched by https, with at most ` +
    '3 redirects, 64 KiB and 5 seconds. If that fails, the response is always the same 422. Fetched content that is not a ' +
    'valid invitation is a 422 that names its fields, below `invitationUrl`.',
  body: exactly({ invitationUrl: text(200_000), ...RECEIVING }),
  responses: { 200: Received },
}))

const OUT_OF_BAND_PATH = v.object({ outOfBandId: EntityId })

export const AcceptInvitation = /* @__PURE__ */ defineContract(() => ({
  ...actionOn(OUT_OF_BAND_PATH, Received),
  operationId: 'AcceptInvitation',
  path: '/oob/{outOfBandId}/accept-invitation',
  summary: 'Accept a received invitation',
  description: `${REQUESTS} An invitation that waits for the other agent to accept the reuse of a connection can be accepted again, without reuse.`,
  body: exactly(ACCEPTING),
}))

export const ReceiveImplicitInvitation = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  operationId: 'ReceiveImplicitInvitation',
  path: '/oob/receive-implicit-invitation',
  summary: 'Request a connection with the agent of a public DID',
  body: exactly({ did: Did, ...INVITEE }),
  responses: { 200: v.strictObject({ outOfBandRecord: OutOfBandRecord, connectionRecord: ConnectionRecord }) },
}))

export const GetOutOfBandRecords = /* @__PURE__ */ defineContract(() => ({
  ...QUERY,
  operationId: 'GetOutOfBandRecords',
  path: '/oob',
  summary: "List the invitations that the token's agent has created or received",
  description: 'A page has at most 100 of them.',
  parameters: {
    query: v.object({
      /** The `@id` of the invitation. */
      invitationId: v.optional(text(4096)),
      ...Paging.entries,
    }),
  },
  responses: { 200: v.array(OutOfBandRecord) },
}))

export const GetOutOfBandRecordById = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(OUT_OF_BAND_PATH, OutOfBandRecord),
  operationId: 'GetOutOfBandRecordById',
  path: '/oob/{outOfBandId}',
  summary: 'Retrieve one out-of-band record by its record id',
}))

export const DeleteOutOfBandRecord = /* @__PURE__ */ defineContract(() => ({
  ...DELETION,
  operationId: 'DeleteOutOfBandRecord',
  path: '/oob/{outOfBandId}',
  summary: 'Delete an invitation, so that it can no longer be accepted',
  description:
    'The DID and the key that only the invitation uses are deleted with it. Its connections remain. A handshake that is not completed can no longer be completed, and its exchange ' +
    'without a connection cannot continue. A message that completes a handshake during the deletion may still ' +
    'do so. The record of a DID of this agent represents all requests to the DID without an invitation: its ' +
    'deletion ends those that are not completed, and the next request creates it again.',
  parameters: { path: OUT_OF_BAND_PATH },
}))
