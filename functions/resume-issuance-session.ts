/** ResumeIssuanceSession: ends the suspension of the credentials of an issuance session. */
import { command } from '../lib/http/command.ts'
import { ResumeIssuanceSession } from '../lib/interface/openid4vci.ts'
import { showSession } from '../lib/openid4vci/session.ts'
import { changeStatus } from '../lib/openid4vci/status.ts'

export const resumeIssuanceSession = command(ResumeIssuanceSession, async ({ path, unit }) => {
  const { session } = await changeStatus(unit, path.issuanceSessionId, 'valid')
  return showSession(session)
})
