/** Contracts of tenants. */
import * as v from 'valibot'
import { EntityId, TenantRecord } from '../records/tenant.ts'
import { COMMAND, defineContract } from './contract.ts'
import { exactly, HttpUrl, text } from './fields.ts'

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
