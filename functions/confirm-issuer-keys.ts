/** Every 15 minutes: fetches the keys of the token issuers. */
import { confirmKeys } from '../lib/auth/confirm-keys.ts'
import { tokenIssuers } from '../lib/auth/token-issuers.ts'
import { background } from '../lib/background.ts'

export const confirmIssuerKeys = background(async (): Promise<void> => {
  await confirmKeys(tokenIssuers(), Date.now())
})
