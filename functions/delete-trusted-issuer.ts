/** DeleteTrustedIssuer: stops trusting an issuer. */
import { removeOf } from '../lib/http/remove-of.ts'
import { DeleteTrustedIssuer } from '../lib/interface/openid4vp.ts'
import { trustedIssuerRecords } from '../lib/records/openid-kinds.ts'

export const deleteTrustedIssuer = removeOf(trustedIssuerRecords, DeleteTrustedIssuer)
