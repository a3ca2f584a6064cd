/** Key pairs as JWKs: which kinds the agent can hold, how one is made and named, and how a foreign one is checked. */
import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID } from 'node:crypto'
import { Kms, TypedArrayEncoder } from '@credo-ts/core'

/** The kinds of private keys that an agent holds: what its signatures and envelopes need. */
export type HeldJwk = Kms.KmsJwkPrivateOkp | Kms.KmsJwkPrivateEc

const EC_CURVES = ['P-256', 'secp256k1']

/** Whether a key of that kind can be made and held. */
export const isHeldKeyType = (type: {
  kty: string
  crv?: string
}): type is Kms.KmsCreateKeyTypeOkp | Kms.KmsCreateKeyTypeEc =>
  type.kty === 'OKP' || (type.kty === 'EC' && type.crv !== undefined && EC_CURVES.includes(type.crv))

export const isHeldJwk = (jwk: Kms.KmsJwkPrivate): jwk is HeldJwk => isHeldKeyType(jwk)

const generate = (crv: HeldJwk['crv']): KeyObject => {
  switch (crv) {
    case 'Ed25519':
      return generateKeyPairSync('ed25519').privateKey
    case 'X25519':
      return generateKeyPairSync('x25519').privateKey
    default:
      return generateKeyPairSync('ec', { namedCurve: crv }).privateKey
  }
}

/** The JWK of a key that Node made: the same fields, in Credo's type. */
const heldJwk = (exported: JsonWebKey, type: Kms.KmsCreateKeyTypeOkp | Kms.KmsCreateKeyTypeEc): HeldJwk => {
  const { x, y, d } = exported
  if (exported.crv === type.crv && d !== undefined && x !== undefined) {
    if (type.kty === 'OKP') return { kty: 'OKP', crv: type.crv, x, d }
    if (y !== undefined) return { kty: 'EC', crv: type.crv, x, y, d }
  }
  throw new Kms.KeyManagementError(`A key of type ${type.kty} ${type.crv} could not be exported`)
}

/** Makes a key pair. */
export const generateJwk = (type: Kms.KmsCreateKeyTypeOkp | Kms.KmsCreateKeyTypeEc): HeldJwk =>
  heldJwk(generate(type.crv).export({ format: 'jwk' }), type)

/** Node imports a raw private key only in DER, behind this prefix (RFC 8410, section 7, OID 1.3.101.112). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The Ed25519 key pair of a seed of 32 bytes (RFC 8032, section 5.1.5). */
export const jwkOfSeed = (seed: Uint8Array): HeldJwk => {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  return heldJwk(privateKey.export({ format: 'jwk' }), { kty: 'OKP', crv: 'Ed25519' })
}

/**
 * Checks a key that was made elsewhere: it is a private key, and its public half belongs to it. Throws `KeyManagementError`
 * without a cause, since Node's messages quote what they were given.
 */
export const assertKeyPair = (jwk: HeldJwk): void => {
  const refused = () => new Kms.KeyManagementError(`${Kms.getJwkHumanDescription(jwk)} is not a valid key pair`)
  try {
    const { kty, crv, x, d } = jwk
    const key = jwk.kty === 'EC' ? { kty, crv, x, y: jwk.y, d } : { kty, crv, x, d }
    const exported = createPrivateKey({ format: 'jwk', key }).export({ format: 'jwk' })
    if (exported.x === x && (jwk.kty !== 'EC' || exported.y === jwk.y)) return
  } catch {
    throw refused()
  }
  throw refused()
}

/**
 * The id of a new key: a UUID unless one is wanted. An Ed25519 key is found by the name that envelopes have for it (`kid` of
 * Aries RFC 0019, its public half in base58), so it has no other id: throws `KeyManagementError` for one.
 */
export const newKeyId = (jwk: HeldJwk, wanted: string | undefined): string => {
  if (jwk.crv !== 'Ed25519') return wanted ?? randomUUID()
  const keyId = TypedArrayEncoder.toBase58(Buffer.from(jwk.x, 'base64url'))
  if (wanted === undefined || wanted === keyId) return keyId
  throw new Kms.KeyManagementError('The id of an Ed25519 key is its public key in base58')
}
