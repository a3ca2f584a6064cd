/** Signatures over bytes with a JWK: EdDSA and ECDSA in JOSE's raw form (r and s, one after the other). */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { Kms } from '@credo-ts/core'

/** Digests by JWA name. EdDSA has its own (RFC 8032); `Ed25519` is its name in RFC 9864. */
const DIGESTS = { EdDSA: null, Ed25519: null, ES256: 'sha256', ES256K: 'sha256' } as const

type SignatureAlgorithm = keyof typeof DIGESTS

export const isSignatureAlgorithm = (algorithm: string): algorithm is SignatureAlgorithm =>
  Object.hasOwn(DIGESTS, algorithm)

// RFC 7518 section 3.4: JOSE signatures of ECDSA are r || s, not DER. EdDSA ignores the setting.
const dsaEncoding = 'ieee-p1363'

/** Signs with a private key. Throws `KeyManagementError` if the key is not for the algorithm. */
export const signWith = (
  jwk: Kms.KmsJwkPrivate,
  algorithm: SignatureAlgorithm,
  content: Uint8Array,
): Uint8Array<ArrayBuffer> => {
  Kms.assertAllowedSigningAlgForKey(jwk, algorithm)
  Kms.assertKeyAllowsSign(jwk)
  const key = createPrivateKey({ format: 'jwk', key: jwk })
  return Uint8Array.from(sign(DIGESTS[algorithm], content, { key, dsaEncoding }))
}

/** Verifies a signature. Throws `KeyManagementError` if the key is not for the algorithm. */
export const verifyWith = (
  jwk: Kms.KmsJwkPublic,
  algorithm: SignatureAlgorithm,
  content: Uint8Array,
  signature: Uint8Array,
): boolean => {
  const key = createPublicKeyOf(jwk, algorithm)
  Kms.assertKeyAllowsVerify(jwk)
  return verify(DIGESTS[algorithm], content, { key, dsaEncoding }, signature)
}

const createPublicKeyOf = (jwk: Kms.KmsJwkPublic, algorithm: SignatureAlgorithm): KeyObject => {
  const description = Kms.getJwkHumanDescription(jwk)
  if (jwk.kty !== 'OKP' && jwk.kty !== 'EC') {
    throw new Kms.KeyManagementError(`${description} cannot be used with algorithm '${algorithm}'`)
  }
  Kms.assertAllowedSigningAlgForKey(jwk, algorithm)
  const { kty, crv, x } = jwk
  try {
    return createPublicKey({ format: 'jwk', key: kty === 'EC' ? { kty, crv, x, y: jwk.y } : { kty, crv, x } })
  } catch {
    // Without a cause: Node's message quotes its input.
    throw new Kms.KeyManagementError(`${description} is not a valid public key`)
  }
}
