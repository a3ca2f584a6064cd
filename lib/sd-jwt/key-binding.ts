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
  /** The texts of the request that this credential may authorize, in their order: the holder may bind no others. */
  transactionData?: readonly string[]
  at?: Date
}

/** In constant time. */
const isSameText = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(digestOf(one)), Buffer.from(digestOf(other)))

/**
 * Those that the holder has bound: of several credentials that may authorize them, wallets use one.
 * https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#appendix-B.3.3.1
 */
const boundTransactionData = (payload: JsonObject, transactionData: readonly string[]): string[] => {
  const { transaction_data_hashes: hashes, transaction_data_hashes_alg: algorithm } = payload
  const invalid = (message: string) => new SdJwtError('transaction_data', `the key binding ${message}`)
  if (hashes === undefined && algorithm === undefined) return []
  if (transactionData.length === 0) throw invalid('is for transaction data, and the request had none')
  if (algorithm !== undefined && algorithm !== 'sha-256')
    throw invalid('hashes transaction data with an algorithm other than sha-256')
  if (!Array.isArray(hashes)) throw invalid('is not for the transaction data of the request')
  const bound = transactionData.filter((text) => hashes.includes(digestOf(text)))
  if (hashes.length !== bound.length || !bound.every((text, index) => hashes[index] === digestOf(text)))
    throw invalid('is for other transaction data than that of the request')
  return bound
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

/**
 * Verifies the key binding with the key of the credential's `cnf`, and returns the transaction data that it is for.
 * Throws an SdJwtError that names the check.
 */
export const verifyKeyBinding = async (
  { keyBinding, presented }: Pick<SdJwt, 'keyBinding' | 'presented'>,
  holderJwk: unknown,
  { audience, nonce, transactionData = [], at = new Date() }: KeyBindingRules,
): Promise<string[]> => {
  if (keyBinding === undefined) throw new SdJwtError('key_binding', 'the presentation has no key binding')
  const { payload } = await verify(keyBinding, holderJwk, at)
  if (payload.sd_hash !== digestOf(presented))
    throw new SdJwtError('key_binding', 'the key binding is for other disclosures')
  // A list would let one presentation serve several verifiers.
  if (payload.aud !== audience) throw new SdJwtError('audience', 'the key binding is for another verifier')
  if (typeof payload.nonce !== 'string' || !isSameText(payload.nonce, nonce))
    throw new SdJwtError('nonce', 'the key binding is for another request')
  return boundTransactionData(payload, transactionData)
}
