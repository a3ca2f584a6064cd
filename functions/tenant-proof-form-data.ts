/** tenant_ProofFormData: returns a tenant's proof record joined with the contents of its messages. */
import { namedTenant } from '../lib/auth/access.ts'
import { query } from '../lib/http/query.ts'
import { TenantProofFormData } from '../lib/interface/proofs.ts'
import { readExchange } from '../lib/readers/exchange-messages.ts'
import { proofFormData } from '../lib/records/proof-form-data.ts'

export const tenantProofFormData = query(TenantProofFormData, {
  authorize: ({ principal, path }) => namedTenant(principal, path.tenantId),
  handle: async ({ agent, path }) => {
    const { record, messages } = await readExchange(agent, 'ProofRecord', path.proofRecordId)
    return proofFormData(record, messages)
  },
})
