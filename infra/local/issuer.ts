/** The local stage's own token issuer: an Ed25519 key in a file, so that `npm run token` can sign tokens too. */
import { join } from 'node:path'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose'
import * as v from 'valibot'
import { ALL_GRANTS, type Role } from '../../lib/auth/grants.ts'
import type { TokenIssuer } from '../../lib/auth/token-issuers.ts'
import { StageFailure } from '../failure.ts'
import { privateFile } from './private-file.ts'

/** Without a port, so that a token is valid whatever port the stage listens on. */
const ISSUER = 'urn:serverless-agent:local'
const AUDIENCE = 'serverless-agent'
const ALGORITHM = 'EdDSA'

const PrivateKey = v.object({
  kty: v.literal('OKP'),
  crv: v.literal('Ed25519'),
  kid: v.string(),
  x: v.string(),
  d: v.string(),
})

export interface TokenClaims {
  role: Role
  tenantId?: string | undefined
  /** Roles in each organization. */
  organizations?: Record<string, string[]>
  subject?: string | undefined
  /** Validity: `90s`, `15m`, `12h` or `7d`. */
  expires?: string
}

export interface Issuer {
  /** As an entry of TOKEN_ISSUERS. */
  settings: TokenIssuer
  sign(claims: TokenClaims): Promise<string>
}

const newKey = async (): Promise<string> => {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true })
  const jwk = await exportJWK(privateKey)
  return `${JSON.stringify({ ...jwk, kid: await calculateJwkThumbprint(jwk) })}\n`
}

/** The issuer whose key is in `folder`; a missing key is created. Throws `StageFailure`. */
export const localIssuer = async (folder: string): Promise<Issuer> => {
  const path = join(folder, 'issuer.json')
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), PrivateKey), await privateFile(path, newKey))
  if (!result.success) throw new StageFailure(`${path} holds no Ed25519 key: remove it to have a new one`)

  const { d: _, ...publicKey } = result.output
  const privateKey = await importJWK(result.output, ALGORITHM)
  return {
    settings: {
      issuer: ISSUER,
      audience: AUDIENCE,
      jwks: { keys: [{ ...publicKey, alg: ALGORITHM, use: 'sig' }] },
      grants: ALL_GRANTS,
    },
    sign: ({ role, tenantId, organizations = {}, subject, expires = '1d' }) =>
      new SignJWT({ role, tenantId, resource_access: resourceAccess(organizations) })
        .setProtectedHeader({ alg: ALGORITHM, kid: publicKey.kid, typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(subject ?? role)
        .setIssuedAt()
        .setExpirationTime(expires)
        .sign(privateKey),
  }
}

/** Roles in organizations, in the format of Keycloak. */
const resourceAccess = (organizations: Record<string, string[]>): Record<string, { roles: string[] }> =>
  Object.fromEntries(Object.entries(organizations).map(([orgId, roles]) => [orgId, { roles }]))
