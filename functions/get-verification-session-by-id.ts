/** GetVerificationSessionById: returns a verification session, with the claims of one that is verified. */
import { query } from '../lib/http/query.ts'
import { GetVerificationSessionById } from '../lib/interface/openid4vp.ts'
import { readClaims } from '../lib/openid4vp/result.ts'
import { verificationSessionRecords } from '../lib/records/openid-kinds.ts'
import { showRecord } from '../lib/store/record-reads.ts'

export const getVerificationSessionById = query(GetVerificationSessionById, async ({ agent, path }) => {
  const session = await showRecord(agent, verificationSessionRecords, path.verificationSessionId)
  if (session.state !== 'ResponseVerified') return session
  const claims = await readClaims(agent, path.verificationSessionId)
  return claims === undefined ? session : { ...session, claims }
})
