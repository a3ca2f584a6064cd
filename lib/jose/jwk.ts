/** Public keys as JWKs (RFC 7517, RFC 8037) on the curves that wallets use. */
import { createHash } from 'node:crypto'
import { isObject } from '../json.ts'
import { JoseError } from './errors.ts'

/** The required members of a key (RFC 7638, section 3.2), in the order of a thumbprint. */
export type PublicJwk =
  | { crv: 'P-256' | 'P-384' | 'P-521'; kty: 'EC'; x: string; y: string }
  | { crv: 'Ed25519'; kty: 'OKP'; x: string }

/** Characters of one coordinate in base64url. */
const LENGTHS = { 'P-256': 43, 'P-384': 64, 'P-521': 88, Ed25519: 43 } as const

/** RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1; `priv`: RFC 9964. */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

const BASE64URL = /^[\w-]+$/

/** Whether unused bits are 0: else one key would have several texts and thumbprints (RFC 4648, section 3.5). */
const isCanonical = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text

/**
 * The members of a public key. Verification checks that its point is on the curve. Throws a JoseError for private
 * parts, and for types and curves that are not supported.
 */
export const publicJwk = (value: unknown): PublicJwk => {
  if (!isObject(value)) throw new JoseError('the key is not a JWK')
  if (PRIVATE.some((name) => Object.hasOwn(value, name))) throw new JoseError('the key has private parts')
  const { kty, crv, x, y } = value
  const isCoordinate = (text: unknown, curve: keyof typeof LENGTHS): text is string =>
    typeof text === 'string' && text.length === LENGTHS[curve] && BASE64URL.test(text) && isCanonical(text)
  if (kty === 'OKP' && crv === 'Ed25519' && isCoordinate(x, crv)) return { crv, kty, x }
  if (kty === 'EC' && (crv === 'P-256' || crv === 'P-384' || crv === 'P-521'))
    if (isCoordinate(x, crv) && isCoordinate(y, crv)) return { crv, kty, x, y }
  throw new JoseError('the key is not a public key on P-256, P-384, P-521 or Ed25519')
}

/** The SHA-256 thumbprint of a public key in base64url (RFC 7638). Throws a JoseError. */
export const thumbprintOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(publicJwk(value)))
    .digest('base64url')
