/** Access tokens of wallets: random, with the id of the session, which stores their hash. */
import { randomBytes } from 'node:crypto'
import { AgentError, isAgentError } from '../errors.ts'
import { isSame, sha256 } from '../openid/compare.ts'
import type { StoredIssuanceSession, StoredIssuer } from '../records/openid4vci.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { isIssuing, loadIssuer } from './issuers.ts'
import { findSession } from './session.ts'

export const TOKEN_SECONDS = 10 * 60

/** `<session id>.<32 random bytes>` */
export const newAccessToken = (sessionId: string): string => `${sessionId}.${randomBytes(32).toString('base64url')}`

const invalidToken = () => new AgentError('oauth.invalid_token', 'the access token is not valid')

/**
 * The session of an access token, and its issuer. Throws `oauth.invalid_token` if the token is unknown, expired or of
 * another issuer, its session was revoked, or its issuer has stopped issuing.
 */
export const sessionOfToken = async (
  unit: UnitOfWork,
  issuerId: string,
  accessToken = '',
): Promise<{ session: StoredIssuanceSession; issuer: StoredIssuer }> => {
  const [, id] = /^([\w-]{22})\.[\w-]{43}$/.exec(accessToken) ?? []
  if (id === undefined) throw invalidToken()
  const [session, issuer] = await Promise.all([findSession(unit, id), loadIssuer(unit, issuerId)]).catch((error) => {
    throw isAgentError(error, 'resource.not_found') ? invalidToken() : error
  })
  const isValid =
    session?.tokenHash !== undefined &&
    isSame(session.tokenHash, sha256(accessToken)) &&
    session.issuerId === issuerId &&
    new Date() < new Date(session.expiresAt) &&
    session.credentialStatus !== 'revoked' &&
    isIssuing(issuer)
  if (!isValid) throw invalidToken()
  return { session, issuer }
}
