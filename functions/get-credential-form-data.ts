/** GetCredentialFormData: returns the contents of the messages of a credential exchange. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { GetCredentialFormData } from '../lib/interface/credentials.ts'
import { credentialFormData } from '../lib/records/credential-form-data.ts'
import { readExchange } from '../lib/store/exchange-messages.ts'

export const getCredentialFormData = defineOperation(GetCredentialFormData, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, path }) => {
    const { record, messages } = await readExchange(agent, 'CredentialRecord', path.credentialRecordId)
    return credentialFormData(record, messages)
  },
})
