/** DeleteVerificationSession: deletes a verification session with its claims. */
import { AgentError } from '../lib/errors.ts'
import { command } from '../lib/http/command.ts'
import { DeleteVerificationSession } from '../lib/interface/openid4vp.ts'
import { resultItem } from '../lib/openid4vp/result.ts'
import { verificationSessionRecords } from '../lib/records/openid-kinds.ts'

export const deleteVerificationSession = command(DeleteVerificationSession, async ({ agent, path, unit }) => {
  const { verificationSessionId: sessionId } = path
  if (!(await unit.remove(agent, verificationSessionRecords.type, sessionId)))
    throw new AgentError('resource.not_found', 'there is no such record')
  unit.delete(resultItem.addressOf({ tenant: agent, sessionId }))
  return undefined
})
