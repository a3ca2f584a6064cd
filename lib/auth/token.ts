/**
 * Verifies tokens: a JWT (RFC 7519) of a configured issuer, with that issuer's keys (settings, table or its address:
 * docs/adr/0022-keys-of-token-issuers.md), never with keys of the token.
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
 * `auth.forbidden` for what the issuer has no grant for, or `auth.keys_unavailable`.
 */
export const createVerifier = (issuers: readonly TokenIssuer[], now: () => number = () => Date.now() / 1000) => {
  const known = issuers.map((issuer) => ({ ...issuer, keys: issuerKeys(issuer, () => now() * 1000) }))

  const verify = async (token: string) => {
    const { iss, aud } = decodeJwt(token)
    // Unverified claims only select a configured issuer. jwtVerify checks both again.
    const issuer = known.find(({ issuer, audience }) => issuer === iss && [aud].flat().includes(audience))
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
   * Errors other than jose's: WebCrypto throws for a public key that can't be imported, which is its issuer's fault,
   * not ours.
   */
  const verified = async (token: string): ReturnType<typeof verify> => {
    try {
      return await verify(token)
    } catch (error) {
      throw isAgentError(error) ? error : unauthorized(error)
    }
  }

  return async (authorization: string): Promise<Principal> => {
    const token = authorization.length <= MAX_TOKEN ? AUTHORIZATION.exec(authorization.trim())?.[1] : undefined
    if (token === undefined) throw unauthorized('not a token')
    const { payload, grants } = await verified(token)
    return principalFromClaims(payload, now(), grants)
  }
}

let verifier: ReturnType<typeof createVerifier> | undefined

/** Verifies an `Authorization` header against the issuers of the settings. */
export const verifyAuthorization = (authorization: string): Promise<Principal> => {
  verifier ??= createVerifier(tokenIssuers())
  return verifier(authorization)
}
