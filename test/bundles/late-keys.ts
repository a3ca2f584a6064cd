/** An entry for a bundle: keys of certificates, which Credo reads by modules that a bundle loads lazily. */
import { X509Certificate } from '@credo-ts/core'

/** The key of a certificate in PEM, as a JWK. */
export const keyOf = (certificate: string): unknown =>
  X509Certificate.fromEncodedCertificate(certificate).publicJwk.toJson()
