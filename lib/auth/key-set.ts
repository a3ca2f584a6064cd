/** A JSON Web Key Set (RFC 7517): which of its keys can verify a token, and what of them that takes. */
import * as v from 'valibot'
import { isObject } from '../json.ts'

/** Asymmetric only: with a symmetric algorithm the public key would be the secret (RFC 8725, section 2.1). */
export const ALGORITHMS = ['EdDSA', 'ES256', 'RS256', 'PS256']

/** Of one issuer. Keycloak shows two keys for signing, and for some time those before. */
const MAX_KEYS = 64

/** Of a key set as it is served: 64 keys, each with a chain of certificates. */
export const MAX_KEY_SET_BYTES = 512 * 1024

/** A public key without what verifying has no use for, such as its certificates. */
export interface VerifyingKey {
  kty: string
  kid?: string
  [member: string]: unknown
}

/** Base64url of so many characters. */
const encoded = (least: number, most = least) =>
  v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]+$/), v.minLength(least), v.maxLength(most))

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

/** Of every kind of key, and the secret of a symmetric one. */
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

/** The keys of a set that by their members can verify a token (lib/auth/importable-keys.ts imports them); or, as a text, why the set is none to be trusted. */
export const verifyingKeys = (set: unknown): VerifyingKey[] | string => {
  const keys: unknown = isObject(set) ? set.keys : undefined
  if (!Array.isArray(keys)) return 'is no JSON Web Key Set'
  if (keys.length > MAX_KEYS) return `has more than ${MAX_KEYS} keys`
  // Whoever shows one key too much may have shown others, too.
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
