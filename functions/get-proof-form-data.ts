/** GetProofFormData: returns the contents of the messages of a proof exchange. */
import { query } from '../lib/http/query.ts'
import { GetProofFormData } from '../lib/interface/proofs.ts'
import { readExchange } from '../lib/readers/exchange-messages.ts'
import { bareFormData } from '../lib/records/proof-form-data.ts'

export const getProofFormData = query(GetProofFormData, async ({ agent, path }) => {
  const { record, messages } = await readExchange(agent, 'ProofRecord', path.proofRecordId)
  return bareFormData(record, messages)
})
