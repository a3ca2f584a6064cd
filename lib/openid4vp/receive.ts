/** Receives the response of a wallet: read and verified first, then written in one transaction with the session's end. */
import { randomBytes } from 'node:crypto'
import { AgentError, CommittedError, isAgentError, shortReason } from '../errors.ts'
import { sha256 } from '../openid/compare.ts'
import type { Claims, StoredVerificationSession } from '../records/openid4vp.ts'
import { epochSeconds } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type ResponseForm, readResponse, type WalletResponse } from './response.ts'
import { resultItem } from './result.ts'
import { findSession, isOpen, readSession, saveSession } from './session.ts'
import { type Outcome, verifyResponse } from './verify-response.ts'

/** Seconds for which a response code is valid, and the claims are stored without it. */
const CODE_SECONDS = 5 * 60

/** Characters of the messages that a session keeps. */
const MAX_MESSAGE = 200

const ended = () => new AgentError('request.malformed', 'the request was answered, or has expired')

interface ResponseTarget {
  verifierId: string
  /** From the URL of the response. */
  sessionId: string
}

type PreparedResponse = { error: string; description: string | undefined } | { outcome: Outcome }

/** Reads and verifies a response; nothing is written. Throws `request.malformed` for a response that does not end the session. */
export const prepareResponse = async (
  { tenant, verifierId, sessionId }: ResponseTarget & { tenant: string },
  form: ResponseForm,
): Promise<PreparedResponse> => {
  const session = await readSession(tenant, sessionId).catch((error) => {
    throw isAgentError(error, 'resource.not_found') ? ended() : error
  })
  if (!isOpen(session, verifierId)) throw ended()
  const response: WalletResponse = await readResponse(tenant, session, form)
  return 'error' in response ? response : { outcome: await verifyResponse(tenant, session, response.token) }
}

/** A session that has ended, without the key for its response. */
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
 * No claims are shown before `complete.ts` gets the code, which only the responding wallet has (sections 8.2 and 13.3).
 * Returns the redirect URI for the wallet.
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
 * Ends a session with a prepared response. Returns the body for the wallet, or the error that is committed with the end
 * of the session. Throws `request.malformed` if it has ended meanwhile.
 */
export const commitResponse = async (
  unit: UnitOfWork,
  { verifierId, sessionId }: ResponseTarget,
  prepared: PreparedResponse,
): Promise<object> => {
  const session = await findSession(unit, sessionId)
  if (session === undefined || !isOpen(session, verifierId)) throw ended()
  if ('error' in prepared) {
    const { error, description } = prepared
    const errorMessage = shortReason(`the wallet reported: ${description ?? error}`, MAX_MESSAGE)
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
