/** Every quarter of an hour: the issuers of tokens are asked which keys are theirs. */
import { confirmKeys } from '../lib/auth/confirm-keys.ts'
import { tokenIssuers } from '../lib/auth/token-issuers.ts'

export const confirmIssuerKeys = async (): Promise<void> => {
  await confirmKeys(tokenIssuers(), Date.now())
}
