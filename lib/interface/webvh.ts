/**
 * Contracts of public documents for holders and verifiers of credentials: resources of agents' did:webvh, tails files.
 * https://identity.foundation/didwebvh/v1.0/
 */
import * as v from 'valibot'
import { TailsHash } from '../records/anoncreds-objects.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract, OPEN } from './contract.ts'

export const GetWebvhLog = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'GetWebvhLog',
  path: '/webvh/{tenantId}/did.jsonl',
  summary: "Get the log of an agent's did:webvh",
  description: 'For verifiers of credentials. `base` is the base agent.',
  parameters: { path: v.object({ tenantId: EntityId }) },
  contentType: 'text/jsonl',
  responses: { 200: v.string() },
}))

export const GetWebvhResource = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'GetWebvhResource',
  path: '/webvh/{tenantId}/resources/{resourceId}',
  summary: "Get a resource that an agent's did:webvh attests",
  description:
    'For verifiers of credentials: a schema, a credential definition, a revocation registry or a status list of AnonCreds. New links to status ' +
    'lists are added to a registry; all other resources never change.',
  parameters: { path: v.object({ tenantId: EntityId, resourceId: EntityId }) },
  contentType: 'application/json',
  responses: {
    200: v.looseObject({
      '@context': v.optional(v.unknown()),
      id: v.string(),
      type: v.array(v.string()),
      metadata: v.optional(v.record(v.string(), v.unknown())),
      /** Status lists of a registry, oldest first. */
      links: v.optional(v.array(v.record(v.string(), v.unknown()))),
      /** The AnonCreds object. */
      content: v.record(v.string(), v.unknown()),
      proof: v.record(v.string(), v.unknown()),
    }),
  },
}))

export const GetTailsFile = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'GetTailsFile',
  path: '/anoncreds/tails/{hash}',
  summary: 'Get the tails file of a revocation registry, by its hash',
  description: 'For holders of revocable credentials. It has up to 1.3 MB.',
  parameters: { path: v.object({ hash: TailsHash }) },
  contentType: 'application/octet-stream',
  responses: { 200: v.pipe(v.string(), v.metadata({ format: 'binary' })) },
}))
