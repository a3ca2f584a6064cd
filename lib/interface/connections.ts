/** Contracts of connections: list, accept, ping and delete. */
import * as v from 'valibot'
import { CONNECTION_STATES, ConnectionRecord } from '../records/connection.ts'
import { EntityId } from '../records/tenant.ts'
import { actionOn, DELETION, defineContract, lookupOf, QUERY } from './contract.ts'
import { Did, exactly, Paging, text } from './fields.ts'

/** Label or alias of an agent. */
const Name = text(1000)

const OfConnection = v.object({ connectionId: EntityId })

/** An action on a connection; the response is its record. */
const STEP = actionOn(OfConnection, ConnectionRecord)

export const GetConnections = /* @__PURE__ */ defineContract(() => ({
  ...QUERY,
  operationId: 'GetConnections',
  path: '/connections',
  summary: "List the connections of the token's agent",
  description: 'A did:peer:4 is found by its long form and by its short form, which other agents may show.',
  parameters: {
    query: v.object({
      outOfBandId: v.optional(EntityId),
      alias: v.optional(Name),
      state: v.optional(v.picklist(CONNECTION_STATES)),
      myDid: v.optional(Did),
      theirDid: v.optional(Did),
      theirLabel: v.optional(Name),
      ...Paging.entries,
    }),
  },
  responses: { 200: v.array(ConnectionRecord) },
}))

export const GetConnectionById = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(OfConnection, ConnectionRecord),
  operationId: 'GetConnectionById',
  path: '/connections/{connectionId}',
  summary: 'Retrieve one connection record by its record id',
}))

export const AcceptConnectionRequest = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptConnectionRequest',
  path: '/connections/{connectionId}/accept-request',
  summary: 'Accept a request to connect',
  description:
    'For a connection in state `request-received`: its invitation has `autoAcceptConnection: false`, or the other agent has used a DID of this agent without an invitation. The request expires after 7 days.',
  body: exactly({}),
}))

export const AcceptConnectionResponse = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptConnectionResponse',
  path: '/connections/{connectionId}/accept-response',
  summary: 'Accept the response to a request to connect',
  description:
    'For a connection in state `response-received`: its invitation was received with `autoAcceptConnection: false`.',
  body: exactly({}),
}))

export const SendPing = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'SendPing',
  path: '/connections/{connectionId}/send-ping',
  summary: 'Send a trust ping to a connection',
  description: 'Aries RFC 0048. Returns the connection; a ping does not change its state.',
  body: exactly({ responseRequested: v.optional(v.boolean(), true), comment: v.optional(text(1000)) }),
}))

export const DeleteConnection = /* @__PURE__ */ defineContract(() => ({
  ...DELETION,
  operationId: 'DeleteConnection',
  path: '/connections/{connectionId}',
  summary: 'Delete a connection',
  description:
    'The other agent gets a hang-up message (Aries RFC 0794), which is committed together with the deletion, unless the handshake is not completed. Its exchanges remain. Its basic messages can no longer be retrieved; they are removed in the background, with its questions, and with its DIDs and keys that nothing else uses.',
  parameters: { path: OfConnection },
}))
