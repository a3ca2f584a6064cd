/** An entry for a bundle: reads a certificate, by modules of Credo that are loaded late. */
import { X509Certificate } from '@credo-ts/core'

/** The key of a certificate in PEM, as a JWK. */
export const keyOf = (certificate: string): unknown =>
  X509Certificate.fromEncodedCertificate(certificate).publicJwk.toJson()
