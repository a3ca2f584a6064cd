/** GetCertificates: lists the certificates of the token's agent. */
import { listOf } from '../lib/http/list-of.ts'
import { GetCertificates } from '../lib/interface/x509.ts'
import { certificateRecords } from '../lib/records/openid-kinds.ts'

export const getCertificates = listOf(certificateRecords, GetCertificates)
