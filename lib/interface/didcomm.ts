/** Contract of the DIDComm endpoint for other agents (Aries RFC 0025). */
import * as v from 'valibot'
import { EntityId } from '../records/tenant.ts'
import { defineContract } from './contract.ts'
import { JsonObject } from './fields.ts'

export const ReceiveDidcomm = /* @__PURE__ */ defineContract(() => ({
  operationId: 'ReceiveDidcomm',
  method: 'POST',
  path: '/didcomm',
  tenantPath: '/didcomm/{tenantId}',
  summary: 'Receive a DIDComm message',
  description:
    'For other agents: the envelope (Aries RFC 0019, at most 16 recipients) authenticates the sender. The response contains an envelope if the sender has asked for one (return route, Aries RFC 0092).',
  security: 'none',
  writes: true,
  parameters: { path: v.object({ tenantId: v.optional(EntityId) }) },
  body: JsonObject,
  mediaTypes: ['application/didcomm-envelope-enc', 'application/ssi-agent-wire'],
  responses: { 200: v.optional(JsonObject) },
  errorStatuses: [404, 409],
}))
