/** JWTs in compact form (RFC 7519, RFC 8725). The checks of algorithm, type and age are here. */
import type { KeyObject } from 'node:crypto'
import { CompactSign } from 'jose/jws/compact/sign'
import { compactVerify } from 'jose/jws/compact/verify'
import type { JsonObject } from '../json.ts'
import { JoseError, JwtTimeError } from './errors.ts'
import { parseObject } from './json-part.ts'
import { publicJwk } from './jwk.ts'

export interface Jwt {
  header: JsonObject
  payload: JsonObject
}

/** Default maximum length of a JWT in characters. */
const MAX_LENGTH = 256 * 1024

/** No `none`, no HMAC, no RSA. `Ed25519` is the newer name of `EdDSA` (RFC 9864). */
export const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const

/** Seconds by which clocks may differ. */
const CLOCK_TOLERANCE = 60

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Decodes a JWT without verifying it. Throws a JoseError unless it is in compact form with two JSON objects. */
export const decodeJwt = (text: unknown, maxLength = MAX_LENGTH): Jwt => {
  if (typeof text !== 'string') throw new JoseError('the JWT is not a text')
  if (text.length > maxLength) throw new JoseError(`the JWT has over ${maxLength} characters`)
  if (!COMPACT.test(text)) throw new JoseError('the JWT is not in compact form')
  const [header = '', payload = ''] = text.split('.')
  return { header: parseObject(header), payload: parseObject(payload) }
}

export interface JwtRules {
  /** Exact value in the header, so that one type of JWT is not accepted as another (RFC 8725, section 3.11). */
  typ: string
  /** Some of `ALGORITHMS`; all by default. */
  algorithms?: readonly string[]
  /** Maximum seconds since `iat`, which is then required, and may be ahead by the clock tolerance. */
  maxAge?: number
  /** Names of required claims. */
  required?: readonly string[]
  at?: Date
  /** Characters; 256 Ki by default. */
  maxLength?: number
}

const assertHeader = (header: JsonObject, { typ, algorithms = ALGORITHMS }: JwtRules): void => {
  if (header.typ !== typ) throw new JoseError(`the type of the JWT must be ${typ}`)
  for (const name of ['crit', 'b64'])
    if (Object.hasOwn(header, name)) throw new JoseError(`the JWT has ${name} in its header, which is not supported`)
  const allowed: unknown[] = ALGORITHMS.filter((algorithm) => algorithms.includes(algorithm))
  if (!allowed.includes(header.alg))
    throw new JoseError(`the algorithm of the JWT must be one of ${allowed.join(', ')}`)
}

/** A NumericDate (RFC 7519, section 2): undefined if absent. */
const timeOf = (payload: JsonObject, name: 'exp' | 'nbf' | 'iat'): number | undefined => {
  const value = payload[name]
  if (value !== undefined && typeof value !== 'number') throw new JwtTimeError(`${name} of the JWT is not a number`)
  return value
}

const assertClaims = (payload: JsonObject, { maxAge, required = [], at = new Date() }: JwtRules): void => {
  const names = maxAge === undefined ? required : [...required, 'iat']
  for (const name of names) if (!Object.hasOwn(payload, name)) throw new JoseError(`the JWT has no ${name}`)
  const now = at.getTime() / 1000
  const {
    exp = Infinity,
    nbf = -Infinity,
    iat = now,
  } = {
    exp: timeOf(payload, 'exp'),
    nbf: timeOf(payload, 'nbf'),
    iat: timeOf(payload, 'iat'),
  }
  if (exp + CLOCK_TOLERANCE <= now) throw new JwtTimeError('the JWT has expired')
  if (nbf - CLOCK_TOLERANCE > now) throw new JwtTimeError('the JWT is not valid yet')
  if (maxAge === undefined) return
  if (iat < now - maxAge) throw new JoseError(`the JWT was issued more than ${maxAge} seconds ago`)
  if (iat - CLOCK_TOLERANCE > now) throw new JoseError('the JWT was issued in the future')
}

/**
 * Verifies type, algorithm, signature and times. The caller passes the key: nothing in the header selects it. Throws a
 * JoseError.
 */
export const verifyJwt = async (text: unknown, key: unknown, rules: JwtRules): Promise<Jwt> => {
  const jwt = decodeJwt(text, rules.maxLength)
  assertHeader(jwt.header, rules)
  const jwk = publicJwk(key)
  // jose throws for an invalid signature, for a key of another curve than the algorithm's, or a point off its curve.
  await compactVerify(String(text), jwk).catch(() => {
    throw new JoseError('the JWT is not signed with the expected key')
  })
  assertClaims(jwt.payload, rules)
  return jwt
}

/** Signs with ES256. `key`: a private key on P-256. */
export const signJwt = (key: KeyObject, header: JsonObject, payload: JsonObject): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader({ ...header, alg: 'ES256' }).sign(key)
