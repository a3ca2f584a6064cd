/** Token to principal: a JWT (RFC 7519) of a configured issuer, verified with keys that come from the settings and never from the token. */
import { JOSEError, JWKSMultipleMatchingKeys, JWKSNoMatchingKey } from 'jose/errors'
import { createLocalJWKSet } from 'jose/jwks/local'
import { decodeJwt } from 'jose/jwt/decode'
import { type JWTVerifyGetKey, jwtVerify } from 'jose/jwt/verify'
import { AgentError } from '../errors.ts'
import { settings } from '../settings.ts'
import type { TokenIssuer } from '../token-issuers.ts'
import { CLOCK_TOLERANCE, type Principal, principalFromClaims } from './principal.ts'

/** Asymmetric only: with a symmetric algorithm the public key would be the secret (RFC 8725, section 2.1). */
const ALGORITHMS = ['EdDSA', 'ES256', 'RS256', 'PS256']

/** Longest token in characters. Longer ones would not fit through the authorizer's context either. */
const MAX_TOKEN = 8 * 1024

/** How long a key set may take to come, in ms. */
const KEY_SET_TIMEOUT = 2000

/** `Bearer <JWT>`, or the bare JWT as credo-controller's clients send it. */
const AUTHORIZATION = /^(?:Bearer +)?([\w-]+\.[\w-]+\.[\w-]+)$/i

const unauthorized = (cause: unknown) => new AgentError('auth.unauthorized', 'Unauthorized', { cause })

const unavailable = (cause: unknown) =>
  new AgentError('auth.keys_unavailable', 'The key set of the issuer is not available', { cause })

/** Keys at an address of the settings. Imported when first needed: with local keys a cold start does not pay for it. */
const remoteKeys = (address: string): JWTVerifyGetKey => {
  let keys: Promise<JWTVerifyGetKey> | undefined
  return async (header, token) => {
    keys ??= import('jose/jwks/remote').then(({ createRemoteJWKSet }) =>
      createRemoteJWKSet(new URL(address), { timeoutDuration: KEY_SET_TIMEOUT }),
    )
    try {
      return await (await keys)(header, token)
    } catch (error) {
      // A set that came and has not the one key says that the token is wrong; a set that did not come says nothing.
      const came = error instanceof JWKSNoMatchingKey || error instanceof JWKSMultipleMatchingKeys
      throw came ? error : unavailable(error)
    }
  }
}

/** The issuer's own keys first; its address only for a `kid` that they lack, so that a forged token cannot make us ask. */
const keysOf = ({ jwks, jwksUri }: TokenIssuer): JWTVerifyGetKey => {
  const remote = jwksUri === undefined ? undefined : remoteKeys(jwksUri)
  if (jwks === undefined) return remote ?? createLocalJWKSet({ keys: [] })
  const local = createLocalJWKSet(jwks)
  const known = new Set(jwks.keys.map(({ kid }) => kid))
  return (header, token) =>
    remote === undefined || header.kid === undefined || known.has(header.kid)
      ? local(header, token)
      : remote(header, token)
}

/**
 * Makes a verifier of `Authorization` headers. `now` in epoch seconds. It throws `auth.unauthorized`, `auth.forbidden` for what the issuer
 * has no grant for, or `auth.keys_unavailable`.
 */
export const createVerifier = (issuers: readonly TokenIssuer[], now: () => number = () => Date.now() / 1000) => {
  const known = issuers.map((issuer) => ({ ...issuer, keys: keysOf(issuer) }))

  const verify = async (token: string): Promise<Principal> => {
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
    return principalFromClaims(payload, now(), issuer.grants)
  }

  return async (authorization: string): Promise<Principal> => {
    const token = authorization.length <= MAX_TOKEN ? AUTHORIZATION.exec(authorization.trim())?.[1] : undefined
    if (token === undefined) throw unauthorized('not a token')
    try {
      return await verify(token)
    } catch (error) {
      throw error instanceof JOSEError ? unauthorized(error) : error
    }
  }
}

let verifier: ReturnType<typeof createVerifier> | undefined

/** Verifies an `Authorization` header against the issuers of the settings. */
export const verifyAuthorization = (authorization: string): Promise<Principal> => {
  verifier ??= createVerifier(settings().TOKEN_ISSUERS)
  return verifier(authorization)
}
