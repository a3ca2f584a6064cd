/** GetProofFormData: returns the contents of the messages of a proof exchange. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { GetProofFormData } from '../lib/interface/proofs.ts'
import { bareFormData } from '../lib/records/proof-form-data.ts'
import { readExchange } from '../lib/store/exchange-messages.ts'

export const getProofFormData = defineOperation(GetProofFormData, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, path }) => {
    const { record, messages } = await readExchange(agent, 'ProofRecord', path.proofRecordId)
    return bareFormData(record, messages)
  },
})
