/** Receives the answer of a wallet: read and verified first, then written in one transaction with the session's end. */
import { randomBytes } from 'node:crypto'
import { AgentError, CommittedError, isAgentError, shortReason } from '../errors.ts'
import { sha256 } from '../openid/compare.ts'
import type { Claims, StoredVerificationSession } from '../records/openid4vp.ts'
import { epochSeconds } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type Answer, type ResponseForm, readAnswer } from './response.ts'
import { resultItem } from './result.ts'
import { findSession, isOpen, readSession, saveSession } from './session.ts'
import { type Outcome, verifyResponse } from './verify-response.ts'

/** Seconds for which the code of an answer can be given, and its claims are kept until then. */
const CODE_SECONDS = 5 * 60

/** Characters of the messages that a session keeps. */
const MAX_MESSAGE = 200

const ended = () => new AgentError('request.malformed', 'the request was answered, or has expired')

interface Received {
  verifierId: string
  /** Of the answer's address. */
  sessionId: string
}

type PreparedAnswer = { error: string; description: string | undefined } | { outcome: Outcome }

/** Reads and verifies an answer; nothing is written. Throws `request.malformed` for what changes nothing. */
export const prepareAnswer = async (
  { tenant, verifierId, sessionId }: Received & { tenant: string },
  form: ResponseForm,
): Promise<PreparedAnswer> => {
  const session = await readSession(tenant, sessionId).catch((error) => {
    throw isAgentError(error, 'resource.not_found') ? ended() : error
  })
  if (!isOpen(session, verifierId)) throw ended()
  const answer: Answer = await readAnswer(tenant, session, form)
  return 'error' in answer ? answer : { outcome: await verifyResponse(tenant, session, answer.token) }
}

/** A session that has ended, without the key for its answer. */
const endOf = (
  { encryptionKey: _, ...session }: StoredVerificationSession,
  change: Partial<StoredVerificationSession>,
) => ({
  ...session,
  ...change,
})

const storeClaims = (unit: UnitOfWork, sessionId: string, claims: Claims, seconds: number): void =>
  unit.create(resultItem.encode({ tenant: unit.tenant, sessionId, claims, expiresAt: epochSeconds() + seconds }))

/**
 * Nothing of the answer is shown before the code was given that only who answered has: `complete.ts` (sections 8.2 and
 * 13.3). Returns where the wallet leads its user back.
 */
const awaitCode = async (
  unit: UnitOfWork,
  session: StoredVerificationSession,
  verified: Pick<StoredVerificationSession, 'checks' | 'credentials'>,
): Promise<string> => {
  const code = randomBytes(32).toString('base64url')
  const codeExpiresAt = new Date(Date.now() + CODE_SECONDS * 1000).toISOString()
  const coded = { ...verified, responseCode: sha256(code), codeTries: 0, codeExpiresAt }
  await saveSession(unit, endOf(session, { state: 'ResponseReceived', ...coded }))
  return `${session.redirectUri}#response_code=${code}`
}

/**
 * Ends a session by what was prepared. The response of the wallet, or the error that is committed with the end of the
 * session. Throws `request.malformed` if it has ended meanwhile.
 */
export const commitAnswer = async (
  unit: UnitOfWork,
  { verifierId, sessionId }: Received,
  prepared: PreparedAnswer,
): Promise<object> => {
  const session = await findSession(unit, sessionId)
  if (session === undefined || !isOpen(session, verifierId)) throw ended()
  if ('error' in prepared) {
    const { error, description } = prepared
    const errorMessage = shortReason(`the wallet says: ${description ?? error}`, MAX_MESSAGE)
    await saveSession(unit, endOf(session, { state: 'Error', error, errorMessage }))
    return {}
  }
  const { outcome } = prepared
  if ('failed' in outcome) {
    const { check: error, message } = outcome.failed
    const errorMessage = shortReason(message, MAX_MESSAGE)
    await saveSession(unit, endOf(session, { state: 'Error', error, errorMessage, checks: outcome.checks }))
    return new CommittedError('request.malformed', errorMessage)
  }
  const { claims, checks, credentials } = outcome
  if (session.redirectUri === undefined) {
    await saveSession(unit, endOf(session, { state: 'ResponseVerified', checks, credentials }))
    storeClaims(unit, sessionId, claims, session.resultTtl)
    return {}
  }
  storeClaims(unit, sessionId, claims, CODE_SECONDS)
  return { redirect_uri: await awaitCode(unit, session, { checks, credentials }) }
}
