/** tenant_ProofFormData: returns a tenant's proof record joined with the contents of its messages. */
import { namedTenant } from '../lib/auth/access.ts'
import { query } from '../lib/http/query.ts'
import { TenantProofFormData } from '../lib/interface/proofs.ts'
import { didCommMessageRecords } from '../lib/records/kinds.ts'
import { proofFormData } from '../lib/records/proof-form-data.ts'
import { readTagged, requireRecord } from '../lib/store/record-reads.ts'

export const tenantProofFormData = query(TenantProofFormData, {
  authorize: ({ principal, path }) => namedTenant(principal, path.tenantId),
  handle: async ({ agent, path }) => {
    const { proofRecordId } = path
    // In this order: messages that are read later are at least as new, so a proof in state `done` has its presentation.
    const proof = await requireRecord(agent, 'ProofRecord', proofRecordId)
    const messages = await readTagged(agent, didCommMessageRecords, 'associatedRecordId', proofRecordId)
    return proofFormData(proof, messages)
  },
})
