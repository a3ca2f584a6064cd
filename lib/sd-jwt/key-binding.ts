/** Key binding: the holder signs what is presented, to whom and when. https://www.rfc-editor.org/rfc/rfc9901#section-7.3 */
import { timingSafeEqual } from 'node:crypto'
import { type Jwt, verifyJwt } from '../jose/jwt.ts'
import type { JsonObject } from '../json.ts'
import { digestOf } from './digest.ts'
import { asSdJwtError, SdJwtError } from './errors.ts'
import type { SdJwt } from './parse.ts'

/** Seconds since it was signed. */
const MAX_AGE = 300
/** Characters. */
const MAX_LENGTH = 16 * 1024

export interface KeyBindingRules {
  /** The verifier's `client_id`, with its prefix. */
  audience: string
  nonce: string
  /** The texts of the request, in their order. Without them the holder may not bind any. */
  transactionData?: readonly string[]
  at?: Date
}

/** In constant time. */
const isSameText = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(digestOf(one)), Buffer.from(digestOf(other)))

/** https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#appendix-B.3.3.1 */
const assertTransactionData = (payload: JsonObject, transactionData: readonly string[]): void => {
  const { transaction_data_hashes: hashes, transaction_data_hashes_alg: algorithm } = payload
  const invalid = (message: string) => new SdJwtError('transaction_data', `the key binding ${message}`)
  if (transactionData.length === 0) {
    if (hashes === undefined && algorithm === undefined) return
    throw invalid('is for transaction data, and the request had none')
  }
  if (algorithm !== undefined && algorithm !== 'sha-256')
    throw invalid('hashes transaction data with an algorithm other than sha-256')
  if (!Array.isArray(hashes)) throw invalid('is not for the transaction data of the request')
  const isEqual = (text: string, index: number) => hashes[index] === digestOf(text)
  if (hashes.length !== transactionData.length || !transactionData.every(isEqual))
    throw invalid('is for other transaction data than that of the request')
}

const verify = async (keyBinding: string, holderJwk: unknown, at: Date): Promise<Jwt> => {
  const required = ['aud', 'nonce', 'sd_hash']
  const rules = { typ: 'kb+jwt', maxAge: MAX_AGE, maxLength: MAX_LENGTH, required, at }
  try {
    return await verifyJwt(keyBinding, holderJwk, rules)
  } catch (error) {
    throw asSdJwtError('key_binding', error)
  }
}

/** Verifies the key binding with the key of the credential's `cnf`. Throws an SdJwtError that names the check. */
export const verifyKeyBinding = async (
  { keyBinding, presented }: Pick<SdJwt, 'keyBinding' | 'presented'>,
  holderJwk: unknown,
  { audience, nonce, transactionData = [], at = new Date() }: KeyBindingRules,
): Promise<void> => {
  if (keyBinding === undefined) throw new SdJwtError('key_binding', 'the presentation has no key binding')
  const { payload } = await verify(keyBinding, holderJwk, at)
  if (payload.sd_hash !== digestOf(presented))
    throw new SdJwtError('key_binding', 'the key binding is for other disclosures')
  // A list would let one presentation serve several verifiers.
  if (payload.aud !== audience) throw new SdJwtError('audience', 'the key binding is for another verifier')
  if (typeof payload.nonce !== 'string' || !isSameText(payload.nonce, nonce))
    throw new SdJwtError('nonce', 'the key binding is for another request')
  assertTransactionData(payload, transactionData)
}
