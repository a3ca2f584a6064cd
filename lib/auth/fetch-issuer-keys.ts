/** Fetches an issuer's keys during a request: for an unknown key, or if the known ones were not confirmed for a day. */
import { readOperatorAddress } from '../egress/operator-address.ts'
import { settings } from '../settings.ts'
import { keysOfText } from './importable-keys.ts'
import { MAX_KEY_SET_BYTES, type VerifyingKey } from './key-set.ts'

/** Time limit of a fetch in ms. */
const MAX_WAIT = 2_000

/** Throws for any failure. */
export const fetchIssuerKeys = async (jwksUri: string): Promise<VerifyingKey[]> => {
  const limits = { milliseconds: MAX_WAIT, bytes: MAX_KEY_SET_BYTES, local: settings().LOCAL_STAGE }
  const keys = keysOfText(await readOperatorAddress(jwksUri, limits))
  if (typeof keys === 'string') throw new Error(`the key set ${keys}`)
  return keys
}
