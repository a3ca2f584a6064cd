/** Contracts for reading proof exchanges (present-proof, Aries RFC 0037 and 0454). */
import * as v from 'valibot'
import { BareFormData, PROOF_ROLES, PROOF_STATES, ProofFormData, ProofRecord } from '../records/proof.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract, listingOf, lookupOf } from './contract.ts'
import { exchangeQuery } from './fields.ts'

export const TenantProofFormData = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(v.object({ tenantId: EntityId, proofRecordId: EntityId }), ProofFormData),
  operationId: 'tenant_ProofFormData',
  firstInterface: true,
  path: '/multi-tenancy/form-data/{tenantId}/{proofRecordId}',
  summary: 'Retrieve form data of a proof record, addressed through a tenant',
}))

export const GetProofs = /* @__PURE__ */ defineContract(() => ({
  ...listingOf(exchangeQuery(PROOF_STATES, PROOF_ROLES), ProofRecord),
  operationId: 'GetProofs',
  path: '/proofs',
  summary: "List the proof exchanges of the token's agent, in both roles",
}))

const ONE = v.object({ proofRecordId: EntityId })

export const GetProofById = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(ONE, ProofRecord),
  operationId: 'GetProofById',
  path: '/proofs/{proofRecordId}',
  summary: 'Retrieve one proof exchange record by its record id',
}))

export const GetProofFormData = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(ONE, BareFormData),
  operationId: 'GetProofFormData',
  path: '/proofs/{proofRecordId}/form-data',
  summary: 'Retrieve what was proposed, requested and presented in a proof exchange',
  description:
    'A verifier sees a JSON-LD presentation as it was verified, in terms of its own contexts. The claims of a presentation are proved only if the record has `isVerified: true`.',
}))
