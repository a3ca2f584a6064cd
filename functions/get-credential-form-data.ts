/** GetCredentialFormData: returns the contents of the messages of a credential exchange. */
import { query } from '../lib/http/query.ts'
import { GetCredentialFormData } from '../lib/interface/credentials.ts'
import { readExchange } from '../lib/readers/exchange-messages.ts'
import { credentialFormData } from '../lib/records/credential-form-data.ts'

export const getCredentialFormData = query(GetCredentialFormData, async ({ agent, path }) => {
  const { record, messages } = await readExchange(agent, 'CredentialRecord', path.credentialRecordId)
  return credentialFormData(record, messages)
})
