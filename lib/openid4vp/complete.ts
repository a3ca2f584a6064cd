/** Completes a session on the same device: https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-13.3 */
import { AgentError, CommittedError } from '../errors.ts'
import { isSame, sha256 } from '../openid/compare.ts'
import type { StoredVerificationSession } from '../records/openid4vp.ts'
import { hasLostCode } from '../records/shown-session.ts'
import { epochSeconds } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { resultItem } from './result.ts'
import { loadSession, saveSession } from './session.ts'

const outOfTurn = (message: string) => new AgentError('exchange.out_of_turn', message)

/**
 * Takes the code with which the wallet led its user back: then the session is verified, with its claims. A wrong code is
 * counted. Throws `resource.not_found`, `exchange.out_of_turn`.
 */
export const completeSession = async (
  unit: UnitOfWork,
  id: string,
  responseCode: string,
): Promise<StoredVerificationSession | CommittedError> => {
  const session = await loadSession(unit, id)
  if (session.state !== 'ResponseReceived') throw outOfTurn('the session does not wait for a response code')
  if (hasLostCode(session, new Date())) throw outOfTurn('the response code was not given in time, or wrongly too often')
  if (!isSame(sha256(responseCode), String(session.responseCode))) {
    await saveSession(unit, { ...session, codeTries: (session.codeTries ?? 0) + 1 })
    return new CommittedError('request.invalid', 'the response code is not the one of this session')
  }
  const { responseCode: _, codeTries: __, codeExpiresAt: ___, ...rest } = session
  const completed = { ...rest, state: 'ResponseVerified' as const }
  await saveSession(unit, completed)
  // Their item would have ended with the code. If it has, the commit fails, and this is run again.
  const set = resultItem.attributes({ expiresAt: epochSeconds() + session.resultTtl })
  unit.change(resultItem.addressOf({ tenant: unit.tenant, sessionId: id }), { set }, { present: ['claims'] })
  return completed
}
