/** Key pairs as JWKs: supported types, generation, ids, and the check of imported ones. */
import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID } from 'node:crypto'
import { Kms, TypedArrayEncoder } from '@credo-ts/core'

/** Supported types of private keys: those of signatures and envelopes. */
type SupportedJwk = Kms.KmsJwkPrivateOkp | Kms.KmsJwkPrivateEc

const EC_CURVES = ['P-256', 'secp256k1']

/** Whether keys of a type are supported. */
export const isSupportedKeyType = (type: {
  kty: string
  crv?: string
}): type is Kms.KmsCreateKeyTypeOkp | Kms.KmsCreateKeyTypeEc =>
  type.kty === 'OKP' || (type.kty === 'EC' && type.crv !== undefined && EC_CURVES.includes(type.crv))

/** Whether a key can be imported. Node does not compare the halves of an EC key. */
export const isImportable = (jwk: Kms.KmsJwkPrivate): jwk is Kms.KmsJwkPrivateOkp => jwk.kty === 'OKP'

const generate = (crv: SupportedJwk['crv']): KeyObject => {
  switch (crv) {
    case 'Ed25519':
      return generateKeyPairSync('ed25519').privateKey
    case 'X25519':
      return generateKeyPairSync('x25519').privateKey
    default:
      return generateKeyPairSync('ec', { namedCurve: crv }).privateKey
  }
}

/** A JWK exported by Node, in Credo's type. */
const toSupportedJwk = (exported: JsonWebKey, type: Kms.KmsCreateKeyTypeOkp | Kms.KmsCreateKeyTypeEc): SupportedJwk => {
  const { x, y, d } = exported
  if (exported.crv === type.crv && d !== undefined && x !== undefined) {
    if (type.kty === 'OKP') return { kty: 'OKP', crv: type.crv, x, d }
    if (y !== undefined) return { kty: 'EC', crv: type.crv, x, y, d }
  }
  throw new Kms.KeyManagementError(`A key of type ${type.kty} ${type.crv} could not be exported`)
}

/** Generates a key pair. */
export const generateJwk = (type: Kms.KmsCreateKeyTypeOkp | Kms.KmsCreateKeyTypeEc): SupportedJwk =>
  toSupportedJwk(generate(type.crv).export({ format: 'jwk' }), type)

/** Node imports a raw private key only in DER, behind this prefix (RFC 8410, section 7, OID 1.3.101.112). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The Ed25519 key pair of a seed of 32 bytes (RFC 8032, section 5.1.5). */
export const jwkOfSeed = (seed: Uint8Array): SupportedJwk => {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  return toSupportedJwk(privateKey.export({ format: 'jwk' }), { kty: 'OKP', crv: 'Ed25519' })
}

/**
 * Checks an imported key: it has to be a private key with a matching public key. Throws `KeyManagementError` without a
 * cause, because Node's messages quote their input.
 */
export const assertKeyPair = (jwk: Kms.KmsJwkPrivateOkp): void => {
  const invalidKeyPair = () => new Kms.KeyManagementError(`${Kms.getJwkHumanDescription(jwk)} is not a valid key pair`)
  try {
    const { kty, crv, x, d } = jwk
    if (createPrivateKey({ format: 'jwk', key: { kty, crv, x, d } }).export({ format: 'jwk' }).x === x) return
  } catch {
    throw invalidKeyPair()
  }
  throw invalidKeyPair()
}

/**
 * The id of a new key: `requestedId`, or else a UUID. The id of an Ed25519 key is its name in envelopes (`kid` of Aries
 * RFC 0019, the public key in base58): throws `KeyManagementError` for any other.
 */
export const newKeyId = (jwk: SupportedJwk, requestedId: string | undefined): string => {
  if (jwk.crv !== 'Ed25519') return requestedId ?? randomUUID()
  const keyId = TypedArrayEncoder.toBase58(Buffer.from(jwk.x, 'base64url'))
  if (requestedId === undefined || requestedId === keyId) return keyId
  throw new Kms.KeyManagementError('The id of an Ed25519 key is its public key in base58')
}
