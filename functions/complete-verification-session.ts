/** CompleteVerificationSession: takes the code with which the wallet led its user back to the verifier. */
import { CommittedError } from '../lib/errors.ts'
import { command } from '../lib/http/command.ts'
import { CompleteVerificationSession } from '../lib/interface/openid4vp.ts'
import { completeSession } from '../lib/openid4vp/complete.ts'
import { showSession } from '../lib/openid4vp/session.ts'

export const completeVerificationSession = command(CompleteVerificationSession, async ({ path, body, unit }) => {
  const completed = await completeSession(unit, path.verificationSessionId, body.responseCode)
  return completed instanceof CommittedError ? completed : showSession(completed)
})
