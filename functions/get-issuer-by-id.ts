/** GetIssuerById: returns an issuer, in one read. */
import { query } from '../lib/http/query.ts'
import { GetIssuerById } from '../lib/interface/openid4vci-issuers.ts'
import { issuerRecords } from '../lib/records/openid-kinds.ts'
import { showRecord } from '../lib/store/record-reads.ts'

export const getIssuerById = query(GetIssuerById, ({ agent, path }) => showRecord(agent, issuerRecords, path.issuerId))
