/** An entry for a bundle: keys that Credo reads by what a bundle loads late. */
import { Kms, X509Certificate } from '@credo-ts/core'

/** The key of a certificate in PEM, as a JWK. */
export const keyOf = (certificate: string): unknown =>
  X509Certificate.fromEncodedCertificate(certificate).publicJwk.toJson()

/** What Credo reads of a JWK, or why it refuses it. */
export const jwkOf = (jwk: unknown): unknown => {
  try {
    return Kms.PublicJwk.fromUnknown(jwk).toJson()
  } catch (error) {
    return error instanceof Error && error.message
  }
}
