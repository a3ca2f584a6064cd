/** Contracts of connections: without them nobody could learn over HTTP which connection came of an invitation. */
import * as v from 'valibot'
import { CONNECTION_STATES, ConnectionRecord } from '../records/connection.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract } from './contract.ts'
import { Cursor, Did, Limit, MAX_PAGE, Order } from './fields.ts'

export const GetConnections = /* @__PURE__ */ defineContract(() => ({
  operationId: 'GetConnections',
  method: 'GET',
  path: '/connections',
  summary: "List the connections of the token's agent",
  security: 'token',
  companion: true,
  parameters: {
    query: v.object({
      outOfBandId: v.optional(EntityId),
      state: v.optional(v.picklist(CONNECTION_STATES)),
      theirDid: v.optional(Did),
      limit: v.optional(Limit, String(MAX_PAGE)),
      cursor: v.optional(Cursor),
      order: v.optional(Order, 'asc'),
    }),
  },
  answers: { 200: v.array(ConnectionRecord) },
}))

export const GetConnectionById = /* @__PURE__ */ defineContract(() => ({
  operationId: 'GetConnectionById',
  method: 'GET',
  path: '/connections/{connectionId}',
  summary: 'Retrieve one connection record by its record id',
  security: 'token',
  companion: true,
  parameters: { path: v.object({ connectionId: EntityId }) },
  answers: { 200: ConnectionRecord },
  refusals: [404],
}))
