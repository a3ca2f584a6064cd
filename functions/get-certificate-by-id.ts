/** GetCertificateById: returns a certificate, in one read. */
import { query } from '../lib/http/query.ts'
import { GetCertificateById } from '../lib/interface/x509.ts'
import { certificateRecords } from '../lib/records/openid-kinds.ts'
import { showRecord } from '../lib/store/record-reads.ts'

export const getCertificateById = query(GetCertificateById, ({ agent, path }) =>
  showRecord(agent, certificateRecords, path.certificateId),
)
