/** Key pairs as private JWKs (RFC 7517, RFC 8037): created, checked when imported, and converted for Node's crypto. */
import { createECDH, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import * as v from 'valibot'

/** Curves by their names in JWKs, and OpenSSL's. */
const EC_CURVES = { 'P-256': 'prime256v1', secp256k1: 'secp256k1' } as const

const OkpJwk = v.looseObject({
  kty: v.literal('OKP'),
  crv: v.picklist(['Ed25519', 'X25519']),
  x: v.string(),
  d: v.string(),
  kid: v.optional(v.string()),
})
const EcJwk = v.looseObject({
  kty: v.literal('EC'),
  crv: v.picklist(['P-256', 'secp256k1']),
  x: v.string(),
  y: v.string(),
  d: v.string(),
  kid: v.optional(v.string()),
})

/** A private key with its numbers in base64url. */
export const PrivateJwk = v.variant('kty', [OkpJwk, EcJwk])
export type PrivateJwk = v.InferOutput<typeof PrivateJwk>

export type Curve = PrivateJwk['crv']

const CURVES: readonly string[] = ['Ed25519', 'X25519', 'P-256', 'secp256k1'] satisfies Curve[]

export const isCurve = (crv: string | undefined): crv is Curve => crv !== undefined && CURVES.includes(crv)

const generate = (crv: Curve): KeyObject => {
  if (crv === 'Ed25519') return generateKeyPairSync('ed25519').privateKey
  if (crv === 'X25519') return generateKeyPairSync('x25519').privateKey
  return generateKeyPairSync('ec', { namedCurve: crv }).privateKey
}

/** A key object as a private JWK. Throws for keys of other types. */
export const jwkOf = (key: KeyObject): PrivateJwk => v.parse(PrivateJwk, key.export({ format: 'jwk' }))

export const generateJwk = (crv: Curve): PrivateJwk => jwkOf(generate(crv))

/** Node imports a raw Ed25519 private key only in DER, after this prefix (RFC 8410, section 7, OID 1.3.101.112). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The Ed25519 key pair of a seed of 32 bytes (RFC 8032, section 5.1.5). */
export const jwkOfSeed = (seed: Uint8Array): PrivateJwk =>
  jwkOf(createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' }))

/** Whether the public half belongs to the private one. Node does not compare the halves of an EC key. */
export const isKeyPair = (jwk: PrivateJwk): boolean => {
  try {
    if (jwk.kty === 'OKP') return jwkOf(privateKeyOf(jwk)).x === jwk.x
    const ecdh = createECDH(EC_CURVES[jwk.crv])
    ecdh.setPrivateKey(jwk.d, 'base64url')
    const point = ecdh.getPublicKey()
    const [x, y] = [point.subarray(1, 33), point.subarray(33)]
    return x.toString('base64url') === jwk.x && y.toString('base64url') === jwk.y
  } catch {
    return false
  }
}

/** Key objects of private keys. Each is garbage-collected with its JWK. */
const keyObjects = new WeakMap<PrivateJwk, KeyObject>()

/**
 * The key for Node's crypto and jose. Throws for numbers that are not a key of the curve; the message may quote them.
 */
export const privateKeyOf = (jwk: PrivateJwk): KeyObject => {
  const known = keyObjects.get(jwk)
  if (known !== undefined) return known
  const { kty, crv, x, d } = jwk
  const key = createPrivateKey({ format: 'jwk', key: kty === 'EC' ? { kty, crv, x, y: jwk.y, d } : { kty, crv, x, d } })
  keyObjects.set(jwk, key)
  return key
}

/** The public half, with the key's id. */
export const publicJwkOf = ({ d: _, ...publicJwk }: PrivateJwk) => publicJwk
