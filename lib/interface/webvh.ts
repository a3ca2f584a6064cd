/** Contracts of what agents serve under their did:webvh. https://identity.foundation/didwebvh/v1.0/ */
import * as v from 'valibot'
import { EntityId } from '../records/tenant.ts'
import { defineContract } from './contract.ts'

export const GetWebvhLog = /* @__PURE__ */ defineContract(() => ({
  operationId: 'GetWebvhLog',
  method: 'GET',
  path: '/webvh/{tenantId}/did.jsonl',
  summary: "Get the log of an agent's did:webvh",
  description: 'For whoever verifies a credential. `base` is the base agent.',
  security: 'none',
  companion: true,
  parameters: { path: v.object({ tenantId: EntityId }) },
  contentType: 'text/jsonl',
  answers: { 200: v.string() },
  refusals: [404],
}))

export const GetWebvhResource = /* @__PURE__ */ defineContract(() => ({
  operationId: 'GetWebvhResource',
  method: 'GET',
  path: '/webvh/{tenantId}/resources/{resourceId}',
  summary: "Get a resource that an agent's did:webvh attests",
  description:
    'For whoever verifies a credential: a schema, a credential definition, a revocation registry or a status list of AnonCreds. A registry ' +
    'gets links to status lists; every other resource is the same for ever.',
  security: 'none',
  companion: true,
  parameters: { path: v.object({ tenantId: EntityId, resourceId: EntityId }) },
  contentType: 'application/json',
  answers: {
    200: v.looseObject({
      id: v.string(),
      type: v.array(v.string()),
      content: v.looseObject({}),
      proof: v.looseObject({}),
    }),
  },
  refusals: [404],
}))
