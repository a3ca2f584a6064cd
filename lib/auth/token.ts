/**
 * Verifies tokens: JWTs (RFC 7519) of configured issuers, with the issuer's keys (from settings, the table or its
 * address: docs/adr/0022-keys-of-token-issuers.md), never with keys in the token.
 */
import { decodeJwt } from 'jose/jwt/decode'
import { jwtVerify } from 'jose/jwt/verify'
import { AgentError, isAgentError } from '../errors.ts'
import { issuerKeys } from './issuer-keys.ts'
import { ALGORITHMS } from './key-set.ts'
import { CLOCK_TOLERANCE, type Principal, principalFromClaims } from './principal.ts'
import { type TokenIssuer, tokenIssuers } from './token-issuers.ts'

/** Maximum length of a token in characters. Longer ones would not fit into the authorizer's context either. */
const MAX_TOKEN = 8 * 1024

/** `Bearer <JWT>`, or the bare JWT of credo-controller's clients. */
const AUTHORIZATION = /^(?:Bearer +)?([\w-]+\.[\w-]+\.[\w-]+)$/i

const unauthorized = (cause: unknown) => new AgentError('auth.unauthorized', 'Unauthorized', { cause })

/**
 * Creates a verifier of `Authorization` headers. `now` in epoch seconds. It throws `auth.unauthorized`,
 * `auth.forbidden` for a role or tenant that the issuer has no grant for, or `auth.keys_unavailable`.
 */
export const createVerifier = (issuers: readonly TokenIssuer[], now: () => number = () => Date.now() / 1000) => {
  const issuersWithKeys = issuers.map((issuer) => ({ ...issuer, keys: issuerKeys(issuer, () => now() * 1000) }))

  const verify = async (token: string) => {
    const { iss, aud } = decodeJwt(token)
    // Unverified claims only select a configured issuer. jwtVerify checks both again.
    const issuer = issuersWithKeys.find(({ issuer, audience }) => issuer === iss && [aud].flat().includes(audience))
    if (issuer === undefined) throw unauthorized('issuer or audience')
    const { payload } = await jwtVerify(token, issuer.keys, {
      algorithms: ALGORITHMS,
      issuer: issuer.issuer,
      audience: issuer.audience,
      clockTolerance: CLOCK_TOLERANCE,
      currentDate: new Date(now() * 1000),
    })
    return { payload, grants: issuer.grants }
  }

  /**
   * Not all errors are jose's: WebCrypto throws for a public key that cannot be imported. That is a failure of the
   * issuer, not ours.
   */
  const verifyClaims = async (token: string): ReturnType<typeof verify> => {
    try {
      return await verify(token)
    } catch (error) {
      throw isAgentError(error) ? error : unauthorized(error)
    }
  }

  return async (authorization: string): Promise<Principal> => {
    const token = authorization.length <= MAX_TOKEN ? AUTHORIZATION.exec(authorization.trim())?.[1] : undefined
    if (token === undefined) throw unauthorized('not a token')
    const { payload, grants } = await verifyClaims(token)
    return principalFromClaims(payload, now(), grants)
  }
}

let verifier: ReturnType<typeof createVerifier> | undefined

/** Verifies an `Authorization` header against the issuers of the settings. */
export const verifyAuthorization = (authorization: string): Promise<Principal> => {
  verifier ??= createVerifier(tokenIssuers())
  return verifier(authorization)
}
