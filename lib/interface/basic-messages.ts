/** Contracts of basic messages (Aries RFC 0095). */
import * as v from 'valibot'
import { BasicMessageRecord } from '../records/basic-message.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract } from './contract.ts'
import { exactly, Paging, text } from './fields.ts'

export const SendMessage = /* @__PURE__ */ defineContract(() => ({
  operationId: 'SendMessage',
  method: 'POST',
  path: '/basic-messages/{connectionId}',
  summary: 'Send a basic message to a connection',
  description: 'The record and the message to the wallet are committed together before the answer.',
  security: 'token',
  idempotent: true,
  parameters: { path: v.object({ connectionId: EntityId }) },
  body: exactly({ content: text(100_000) }),
  answers: { 200: BasicMessageRecord },
  refusals: [404],
}))

export const GetBasicMessages = /* @__PURE__ */ defineContract(() => ({
  operationId: 'GetBasicMessages',
  method: 'GET',
  path: '/basic-messages/{connectionId}',
  summary: 'Retrieve the basic messages of a connection',
  description:
    'Oldest first. `metadata["_agent/delivery"]` has the delivery of a sent message: `pending`, or `waiting-for-pickup` for a wallet without an endpoint; finally `delivered` or `failed`.',
  security: 'token',
  companion: true,
  parameters: { path: v.object({ connectionId: EntityId }), query: Paging },
  answers: { 200: v.array(BasicMessageRecord) },
  refusals: [404],
}))

export const TenantGetBasicMessages = /* @__PURE__ */ defineContract(() => ({
  operationId: 'tenant_GetBasicMessages',
  method: 'GET',
  path: '/multi-tenancy/basic-messages/{connectionId}/{tenantId}',
  summary: 'Retrieve the basic messages of a connection, addressed through a tenant',
  security: 'token',
  parameters: { path: v.object({ connectionId: EntityId, tenantId: EntityId }), query: Paging },
  answers: { 200: v.array(BasicMessageRecord) },
  refusals: [404],
}))
