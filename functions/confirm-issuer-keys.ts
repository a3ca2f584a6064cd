/** Every 15 minutes: fetches the keys of the token issuers. */
import { confirmKeys } from '../lib/auth/confirm-keys.ts'
import { tokenIssuers } from '../lib/auth/token-issuers.ts'

export const confirmIssuerKeys = async (): Promise<void> => {
  await confirmKeys(tokenIssuers(), Date.now())
}
