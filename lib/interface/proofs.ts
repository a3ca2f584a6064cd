/** Contracts of proofs (present-proof, Aries RFC 0037 and 0454). */
import * as v from 'valibot'
import { ProofFormData } from '../records/proof.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract } from './contract.ts'
import { ProofRequest, ProofRequestResult } from './proof-request.ts'

export const CreateRequest = /* @__PURE__ */ defineContract(() => ({
  operationId: 'CreateRequest',
  method: 'POST',
  path: '/proofs/create-request-oob',
  summary: 'Create a presentation request that is bound to no proposal and to no existing connection',
  description:
    'A constraint, path, filter, pattern or claim format of a presentation definition that would not be enforced is a 422 that names it. ' +
    'Contexts in the options are trusted for this request beside those of the service, and are not sent to the wallet.',
  security: 'token',
  idempotent: true,
  body: ProofRequest,
  answers: { 200: ProofRequestResult },
  refusals: [404],
}))

export const TenantProofFormData = /* @__PURE__ */ defineContract(() => ({
  operationId: 'tenant_ProofFormData',
  method: 'GET',
  path: '/multi-tenancy/form-data/{tenantId}/{proofRecordId}',
  summary: 'Retrieve form data of a proof record, addressed through a tenant',
  security: 'token',
  parameters: { path: v.object({ tenantId: EntityId, proofRecordId: EntityId }) },
  answers: { 200: ProofFormData },
  refusals: [404],
}))
