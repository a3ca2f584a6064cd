/** GetVerifierById: returns a verifier, in one read. */
import { query } from '../lib/http/query.ts'
import { GetVerifierById } from '../lib/interface/openid4vp.ts'
import { verifierRecords } from '../lib/records/openid-kinds.ts'
import { showRecord } from '../lib/store/record-reads.ts'

export const getVerifierById = query(GetVerifierById, ({ agent, path }) =>
  showRecord(agent, verifierRecords, path.verifierId),
)
