/** Contracts of basic messages (Aries RFC 0095). */
import * as v from 'valibot'
import { BasicMessageRecord } from '../records/basic-message.ts'
import { EntityId } from '../records/tenant.ts'
import { actionOn, defineContract, LOOKUP } from './contract.ts'
import { exactly, Paging, text } from './fields.ts'

/** In bytes, as JSON in UTF-8: the envelope of a longer text exceeds 256 KiB, which this agent does not accept either. */
const MAX_CONTENT_BYTES = 195_000

const Content = v.pipe(
  text(100_000),
  v.check(
    (content) => Buffer.byteLength(JSON.stringify(content)) - '""'.length <= MAX_CONTENT_BYTES,
    `must be at most ${MAX_CONTENT_BYTES} bytes as JSON in UTF-8`,
  ),
)

export const SendMessage = /* @__PURE__ */ defineContract(() => ({
  ...actionOn(v.object({ connectionId: EntityId }), BasicMessageRecord),
  operationId: 'SendMessage',
  firstInterface: true,
  path: '/basic-messages/{connectionId}',
  summary: 'Send a basic message to a connection',
  description: `The record and the message to the wallet are committed together before the response. \`content\` has at most ${MAX_CONTENT_BYTES} bytes as JSON in UTF-8.`,
  body: exactly({ content: Content }),
}))

export const GetBasicMessages = /* @__PURE__ */ defineContract(() => ({
  ...LOOKUP,
  operationId: 'GetBasicMessages',
  path: '/basic-messages/{connectionId}',
  summary: 'Retrieve the basic messages of a connection',
  description:
    'Oldest first. `metadata["_agent/delivery"]` has the delivery of a sent message: `pending`, or `waiting-for-pickup` for a wallet without an endpoint; finally `delivered` or `failed`.',
  parameters: { path: v.object({ connectionId: EntityId }), query: Paging },
  responses: { 200: v.array(BasicMessageRecord) },
}))

export const TenantGetBasicMessages = /* @__PURE__ */ defineContract(() => ({
  ...LOOKUP,
  operationId: 'tenant_GetBasicMessages',
  firstInterface: true,
  path: '/multi-tenancy/basic-messages/{connectionId}/{tenantId}',
  summary: 'Retrieve the basic messages of a connection, addressed through a tenant',
  parameters: { path: v.object({ connectionId: EntityId, tenantId: EntityId }), query: Paging },
  responses: { 200: v.array(BasicMessageRecord) },
}))
