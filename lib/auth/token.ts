/** Token to principal: a JWT (RFC 7519) of a configured issuer, verified with keys of that issuer (settings, table or its address: ADR 22), never of the token. */
import { decodeJwt } from 'jose/jwt/decode'
import { jwtVerify } from 'jose/jwt/verify'
import { AgentError, isAgentError } from '../errors.ts'
import { issuerKeys } from './issuer-keys.ts'
import { ALGORITHMS } from './key-set.ts'
import { CLOCK_TOLERANCE, type Principal, principalFromClaims } from './principal.ts'
import { type TokenIssuer, tokenIssuers } from './token-issuers.ts'

/** Longest token in characters. Longer ones would not fit through the authorizer's context either. */
const MAX_TOKEN = 8 * 1024

/** `Bearer <JWT>`, or the bare JWT as credo-controller's clients send it. */
const AUTHORIZATION = /^(?:Bearer +)?([\w-]+\.[\w-]+\.[\w-]+)$/i

const unauthorized = (cause: unknown) => new AgentError('auth.unauthorized', 'Unauthorized', { cause })

/**
 * Makes a verifier of `Authorization` headers. `now` in epoch seconds. It throws `auth.unauthorized`, `auth.forbidden` for what the issuer
 * has no grant for, or `auth.keys_unavailable`.
 */
export const createVerifier = (issuers: readonly TokenIssuer[], now: () => number = () => Date.now() / 1000) => {
  const known = issuers.map((issuer) => ({ ...issuer, keys: issuerKeys(issuer, () => now() * 1000) }))

  const verify = async (token: string) => {
    const { iss, aud } = decodeJwt(token)
    // The claims that are not yet verified choose among configured issuers, nothing more: jwtVerify checks both again.
    const audiences = Array.isArray(aud) ? aud : [aud]
    const candidates = known.filter(({ issuer }) => issuer === iss)
    const issuer = candidates.find(({ audience }) => audiences.includes(audience))
    if (issuer === undefined) throw unauthorized('issuer or audience')
    const { payload } = await jwtVerify(token, issuer.keys, {
      algorithms: ALGORITHMS,
      issuer: issuer.issuer,
      audience: issuer.audience,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE,
      currentDate: new Date(now() * 1000),
    })
    return { payload, grants: issuer.grants }
  }

  /** Not all that is thrown is jose's: a public key that can't be imported makes WebCrypto throw, and is its issuer's fault, not ours. */
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
