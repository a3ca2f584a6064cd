/** Asks an issuer for its keys while a request waits: for a key that is not known yet, and where nothing has confirmed them for a day. */
import { readOperatorAddress } from '../egress/operator-address.ts'
import { settings } from '../settings.ts'
import { keysOfText } from './importable-keys.ts'
import { MAX_KEY_SET_BYTES, type VerifyingKey } from './key-set.ts'

/** How long a key set may take to come, in ms. */
const MAX_WAIT = 2_000

/** Throws whatever is wrong with the answer. */
export const askIssuer = async (jwksUri: string): Promise<VerifyingKey[]> => {
  const limits = { milliseconds: MAX_WAIT, bytes: MAX_KEY_SET_BYTES, local: settings().LOCAL_STAGE }
  const keys = keysOfText(await readOperatorAddress(jwksUri, limits))
  if (typeof keys === 'string') throw new Error(`the key set ${keys}`)
  return keys
}
