/** Token issuers of the tests: they sign valid tokens, and tokens that no issuer should sign. */
import { createPrivateKey, type JsonWebKeyInput, sign as signBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'

export interface TestIssuer {
  issuer: string
  audience: string
  algorithm: string
  /** With `kid`. */
  privateKey: JWK
}

export const newIssuer = async (name: string, algorithm: string): Promise<TestIssuer> => {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = await exportJWK(privateKey)
  return { issuer: `urn:test:${name}`, audience: 'agent', algorithm, privateKey: { ...jwk, kid: `${name}-key` } }
}

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi']

export const publicKeyOf = ({ privateKey, algorithm }: TestIssuer): JWK => ({
  ...Object.fromEntries(Object.entries(privateKey).filter(([name]) => !PRIVATE_MEMBERS.includes(name))),
  kty: privateKey.kty ?? '',
  alg: algorithm,
})

export type Claims = Record<string, unknown>

export const epochSeconds = (): number => Math.floor(Date.now() / 1000)

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The claims of a valid token; an `undefined` one is left out. */
export const claimsOf = ({ issuer, audience }: TestIssuer, claims: Claims = {}): Claims => ({
  iss: issuer,
  aud: audience,
  exp: epochSeconds() + 3600,
  role: 'RestRootAgent',
  ...claims,
})

/** A token with a valid signature and any claims. */
export const sign = async (issuer: TestIssuer, claims: Claims = {}, header: object = {}): Promise<string> => {
  const { algorithm, privateKey } = issuer
  return new SignJWT(JSON.parse(JSON.stringify(claimsOf(issuer, claims))))
    .setProtectedHeader({ alg: algorithm, kid: String(privateKey.kid), ...header })
    .sign(await importJWK(privateKey, algorithm), { crit: { odd: false } })
}

/** The same synchronously, with any claims and header; for an issuer with an Ed25519 key (RFC 8037). */
export const signNow = (issuer: TestIssuer, claims: unknown, header: object = {}): string => {
  const { algorithm: alg, privateKey } = issuer
  const content = `${encode({ alg, kid: privateKey.kid, ...header })}.${encode(claims)}`
  const key: JsonWebKeyInput = { key: { ...privateKey }, format: 'jwk' }
  return `${content}.${signBytes(null, Buffer.from(content), createPrivateKey(key)).toString('base64url')}`
}

/** A token that declares itself unsigned (RFC 7519, section 6). */
export const unsecured = (issuer: TestIssuer, alg = 'none'): string =>
  `${encode({ alg, kid: issuer.privateKey.kid })}.${encode(claimsOf(issuer))}.`

/** The token with other claims under the same signature. */
export const altered = (token: string, claims: Claims): string => {
  const [header, payload = '', signature] = token.split('.')
  const known = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return `${header}.${encode({ ...known, ...claims })}.${signature}`
}
