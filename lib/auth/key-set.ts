/** JSON Web Key Sets (RFC 7517): the keys that can verify a token, and their members. */
import * as v from 'valibot'
import { isObject } from '../json.ts'

/** Asymmetric only: with a symmetric algorithm the public key would be the secret (RFC 8725, section 2.1). */
export const ALGORITHMS = ['EdDSA', 'ES256', 'RS256', 'PS256']

/** Maximum number of keys of an issuer. Keycloak serves two for signing, and for some time the former ones. */
const MAX_KEYS = 64

/** Maximum size of a served key set: 64 keys, each with a chain of certificates. */
export const MAX_KEY_SET_BYTES = 512 * 1024

/** A public key without members that verification does not need, such as certificates. */
export interface VerifyingKey {
  kty: string
  kid?: string
  [member: string]: unknown
}

/** Base64url of a length in characters. */
const encoded = (min: number, max = min) =>
  v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]+$/), v.minLength(min), v.maxLength(max))

const anyKind = {
  kid: v.exactOptional(v.pipe(v.string(), v.maxLength(256))),
  use: v.exactOptional(v.literal('sig')),
  alg: v.exactOptional(v.picklist(ALGORITHMS)),
}

/** By `kty`: RFC 7518, section 6, and RFC 8037. An RSA key has 2048 to 8192 bits, by the length of its text. */
const PUBLIC_KEYS = new Map<unknown, v.GenericSchema<unknown, VerifyingKey>>([
  ['RSA', v.object({ kty: v.string(), n: encoded(342, 1366), e: encoded(1, 8), ...anyKind })],
  ['EC', v.object({ kty: v.string(), crv: v.literal('P-256'), x: encoded(43), y: encoded(43), ...anyKind })],
  ['OKP', v.object({ kty: v.string(), crv: v.literal('Ed25519'), x: encoded(43), ...anyKind })],
])

/** Private members of all types of keys, and the secret of symmetric ones. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

const isPrivate = (key: unknown): boolean => isObject(key) && PRIVATE_MEMBERS.some((name) => Object.hasOwn(key, name))

const toVerifyingKey = (key: unknown): VerifyingKey[] => {
  if (!isObject(key)) return []
  const schema = PUBLIC_KEYS.get(key.kty)
  if (schema === undefined) return []
  const result = v.safeParse(schema, key)
  const mayVerify = !Array.isArray(key.key_ops) || key.key_ops.includes('verify')
  return result.success && mayVerify ? [result.output] : []
}

/**
 * The keys of a set that, by their members, can verify a token (lib/auth/importable-keys.ts imports them), or the
 * reason why the set is rejected.
 */
export const verifyingKeys = (set: unknown): VerifyingKey[] | string => {
  const keys: unknown = isObject(set) ? set.keys : undefined
  if (!Array.isArray(keys)) return 'is not a JSON Web Key Set'
  if (keys.length > MAX_KEYS) return `has more than ${MAX_KEYS} keys`
  // An issuer that publishes one private key may have published others.
  if (keys.some(isPrivate)) return 'holds a private key'
  return keys.flatMap(toVerifyingKey)
}

export const KeySet = v.pipe(
  v.unknown(),
  v.rawTransform(({ dataset, addIssue, NEVER }): { keys: VerifyingKey[] } => {
    const keys = verifyingKeys(dataset.value)
    if (typeof keys !== 'string') return { keys }
    addIssue({ message: keys })
    return NEVER
  }),
)
