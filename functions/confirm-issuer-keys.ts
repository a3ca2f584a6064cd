/** Every quarter of an hour: the issuers of tokens are asked which keys are theirs. */
import { confirmKeys } from '../lib/auth/confirm-keys.ts'
import { settings } from '../lib/settings.ts'

export const confirmIssuerKeys = async (): Promise<void> => {
  await confirmKeys(settings().TOKEN_ISSUERS, Date.now())
}
