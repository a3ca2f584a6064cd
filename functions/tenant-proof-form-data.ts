/** tenant_ProofFormData: a tenant's proof record, joined with what its messages carry. */
import { namedTenant } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { TenantProofFormData } from '../lib/interface/proofs.ts'
import { proofFormData } from '../lib/records/proof-form-data.ts'
import { readTagged, requireRecord } from '../lib/store/record-reads.ts'

export const tenantProofFormData = defineOperation(TenantProofFormData, async ({ principal, path }) => {
  const { proofRecordId } = path
  const tenant = namedTenant(principal, path.tenantId)
  // One after the other: messages that are read later are at least as new, so a proof that is done has its presentation.
  const proof = await requireRecord(tenant, 'ProofRecord', proofRecordId)
  const messages = await readTagged(tenant, 'DidCommMessageRecord', 'associatedRecordId', proofRecordId)
  return proofFormData(proof, messages)
})
