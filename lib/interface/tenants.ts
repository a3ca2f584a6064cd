/** Contracts of tenants. */
import * as v from 'valibot'
import { EntityId, TenantRecord } from '../records/tenant.ts'
import { COMMAND, defineContract, listingOf, lookupOf } from './contract.ts'
import { Cursor, exactly, HttpUrl, Limit, MAX_PAGE, text } from './fields.ts'

export const CreateTenant = /* @__PURE__ */ defineContract(() => ({
  ...COMMAND,
  operationId: 'CreateTenant',
  path: '/multi-tenancy/create-tenant',
  summary: 'Create a tenant',
  description:
    'Needs a root token with tenants, of an issuer that is not limited to certain tenants. `orgId` defaults to the id of the tenant. ' +
    'Received offers and proof requests wait for a call, unless `autoAcceptOffers` or `autoAcceptProofRequests` is true.',
  body: exactly({
    config: exactly({
      label: text(255),
      connectionImageUrl: v.optional(HttpUrl),
      autoAcceptOffers: v.optional(v.boolean()),
      autoAcceptProofRequests: v.optional(v.boolean()),
    }),
    orgId: v.optional(EntityId),
  }),
  responses: { 201: TenantRecord },
}))

export const GetTenant = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(v.object({ tenantId: EntityId }), TenantRecord),
  operationId: 'GetTenant',
  path: '/multi-tenancy/{tenantId}',
  summary: 'Retrieve a tenant',
  description: "Needs a root token with tenants, or the tenant's own.",
}))

export const DeleteTenant = /* @__PURE__ */ defineContract(() => ({
  // Without `idempotent`: a repetition is a 404, also with the same `Idempotency-Key`.
  ...{ method: 'DELETE', security: 'token', writes: true, errorStatuses: [404], responses: { 204: v.undefined() } },
  operationId: 'DeleteTenant',
  path: '/multi-tenancy/{tenantId}',
  summary: 'Remove a tenant with all that it has',
  description:
    'Needs a root token with tenants. Within a minute its tokens and paths are rejected; its data are removed in the background. ' +
    'Its connections are told that it is gone, unless `silent` is true. With `keep=public` the documents remain with which others verify its credentials: ' +
    'its did:web and did:webvh with their resources, its key sets, types and status lists. Nothing of it can be issued or revoked any more. ' +
    '404 also for a tenant that was removed before.',
  parameters: {
    path: v.object({ tenantId: EntityId }),
    query: v.object({ silent: v.optional(v.picklist(['true', 'false'])), keep: v.optional(v.literal('public')) }),
  },
}))

/** The only field that may be missing is `orgId`. */
const OrganizationQuery = v.object(
  { orgId: EntityId, limit: v.optional(Limit, String(MAX_PAGE)), cursor: v.optional(Cursor) },
  'is required: no index has the tenants of all organizations, and to list them the whole table would be read',
)

export const GetTenants = /* @__PURE__ */ defineContract(() => ({
  ...listingOf(OrganizationQuery, TenantRecord),
  operationId: 'GetTenants',
  path: '/multi-tenancy',
  summary: 'List the tenants of an organization, by id',
  description:
    'Needs a root token with tenants, of an issuer that may reach the organization; tenants that the issuer may not reach are left out. ' +
    'There is no list of all tenants: no index has them, and the whole table would be read.',
}))
