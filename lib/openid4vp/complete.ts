/** Completes a session on the same device: https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-13.3 */
import { AgentError, CommittedError } from '../errors.ts'
import { isSame, sha256 } from '../openid/compare.ts'
import type { StoredVerificationSession } from '../records/openid4vp.ts'
import { isCodeInvalid } from '../records/shown-session.ts'
import { epochSeconds } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { resultItem } from './result.ts'
import { loadSession, saveSession } from './session.ts'

const outOfTurn = (message: string) => new AgentError('exchange.out_of_turn', message)

/**
 * Accepts the code that the wallet passed on with its redirect: then the session is verified, with its claims. A wrong
 * code is counted. Throws `resource.not_found`, `exchange.out_of_turn`.
 */
export const completeSession = async (
  unit: UnitOfWork,
  id: string,
  responseCode: string,
): Promise<StoredVerificationSession | CommittedError> => {
  const session = await loadSession(unit, id)
  if (session.state !== 'ResponseReceived') throw outOfTurn('the session does not wait for a response code')
  if (isCodeInvalid(session, new Date())) throw outOfTurn('the response code has expired, or had too many wrong tries')
  if (!isSame(sha256(responseCode), String(session.responseCode))) {
    await saveSession(unit, { ...session, codeTries: (session.codeTries ?? 0) + 1 })
    return new CommittedError('request.invalid', 'the response code does not belong to this session')
  }
  const { responseCode: _, codeTries: __, codeExpiresAt: ___, ...rest } = session
  const completed = { ...rest, state: 'ResponseVerified' as const }
  await saveSession(unit, completed)
  // The item of the claims expires with the code. If it has expired, the commit fails, and this is repeated.
  const set = resultItem.attributes({ expiresAt: epochSeconds() + session.resultTtl })
  unit.change(resultItem.addressOf({ tenant: unit.tenant, sessionId: id }), { set }, { present: ['claims'] })
  return completed
}
