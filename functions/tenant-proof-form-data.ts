/** tenant_ProofFormData: a tenant's proof record, joined with what its messages carry. */
import { namedTenant } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { TenantProofFormData } from '../lib/interface/proofs.ts'
import { proofFormData } from '../lib/records/proof-form-data.ts'
import { readTagged, requireRecord } from '../lib/store/record-reads.ts'

export const tenantProofFormData = defineOperation(TenantProofFormData, {
  authorize: ({ principal, path }) => namedTenant(principal, path.tenantId),
  handle: async ({ agent, path }) => {
    const { proofRecordId } = path
    // One after the other: messages that are read later are at least as new, so a proof that is done has its presentation.
    const proof = await requireRecord(agent, 'ProofRecord', proofRecordId)
    const messages = await readTagged(agent, 'DidCommMessageRecord', 'associatedRecordId', proofRecordId)
    return proofFormData(proof, messages)
  },
})
