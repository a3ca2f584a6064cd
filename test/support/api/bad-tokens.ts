/** Every way in which an `Authorization` header does not say who calls. */
import { randomUUID } from 'node:crypto'

import { altered, epochSeconds, newIssuer, publicKeyOf, sign, signedWithPublicKey, unsecured } from './tokens.ts'
import type { World } from './world.ts'

/** Makes the value of the header; undefined: there is none. */
type MakeHeader = (world: World) => Promise<string | undefined> | string | undefined

const bearer =
  (make: (world: World) => Promise<string> | string): MakeHeader =>
  async (world) =>
    `Bearer ${await make(world)}`

const withClaims = (claims: (world: World) => Record<string, unknown>): MakeHeader =>
  bearer((world) => sign(world.issuers.eddsa, claims(world)))

/** What the operation with optional authorization takes for no token at all. */
export const NO_TOKEN: Record<string, MakeHeader> = {
  'no header': () => undefined,
  'an empty header': () => '',
}

export const BAD_TOKENS: Record<string, MakeHeader> = {
  'a scheme without a token': () => 'Bearer',
  'another scheme': () => 'Basic cm9vdDpyb290',
  'something that is no JWT': () => 'Bearer token',
  'parts that are no JWT': () => 'Bearer a.b.c',
  'two parts of a JWT': bearer(async ({ tokens }) => tokens.root.split('.').slice(0, 2).join('.')),
  'two tokens': ({ tokens }) => `Bearer ${tokens.root} ${tokens.root}`,
  'a token that is too long': withClaims(() => ({ more: 'x'.repeat(6200) })),

  'an expired token': withClaims(() => ({ exp: epochSeconds() - 60 })),
  'a token that is not valid yet': withClaims(() => ({ nbf: epochSeconds() + 60 })),
  'a token of the future': withClaims(() => ({ iat: epochSeconds() + 60 })),
  'a token that never expires': withClaims(() => ({ exp: undefined })),
  'an expiry that is no number': withClaims(() => ({ exp: String(epochSeconds() + 60) })),

  'another issuer': withClaims(() => ({ iss: 'urn:test:nobody' })),
  'no issuer': withClaims(() => ({ iss: undefined })),
  "another configured issuer's name": withClaims(({ issuers }) => ({ iss: issuers.es256.issuer })),
  'another audience': withClaims(() => ({ aud: 'somebody-else' })),
  'audiences that are all others': withClaims(() => ({ aud: ['a', 'b'] })),
  'no audience': withClaims(() => ({ aud: undefined })),

  'the algorithm none': bearer(({ issuers }) => unsecured(issuers.eddsa)),
  'the algorithm None': bearer(({ issuers }) => unsecured(issuers.eddsa, 'None')),
  'the algorithm none with a signature': bearer(({ issuers }) => unsecured(issuers.eddsa, 'none', 'c2lnbmF0dXJl')),
  'the public key as a secret': bearer(({ issuers }) => signedWithPublicKey(issuers.rs256)),
  'an algorithm that is not allowed': bearer(async ({ issuers }) => {
    const other = await newIssuer('other', 'ES384')
    return sign({ ...other, issuer: issuers.es256.issuer }, {}, { kid: issuers.es256.privateKey.kid })
  }),
  'the key of somebody else': bearer(async ({ issuers }) => {
    const { privateKey } = await newIssuer('other', 'EdDSA')
    return sign({ ...issuers.eddsa, privateKey: { ...privateKey, kid: String(issuers.eddsa.privateKey.kid) } })
  }),
  'a key in the header': bearer(async ({ issuers }) => {
    const other = { ...(await newIssuer('other', 'EdDSA')), issuer: issuers.eddsa.issuer }
    return sign(other, {}, { jwk: publicKeyOf(other), kid: undefined })
  }),
  'the address of a key set in the header': bearer(async ({ issuers }) => {
    const other = { ...(await newIssuer('other', 'EdDSA')), issuer: issuers.eddsa.issuer }
    return sign(other, {}, { jku: 'http://127.0.0.1:9/jwks' })
  }),
  'a key that nobody knows': bearer(({ issuers }) => sign(issuers.eddsa, {}, { kid: 'unknown' })),
  'a header that must be understood': bearer(({ issuers }) => sign(issuers.eddsa, {}, { crit: ['odd'], odd: true })),
  'no signature': bearer(({ tokens }) => tokens.root.replace(/[^.]+$/, '')),
  'half a signature': bearer(({ tokens }) => tokens.root.slice(0, -40)),
  'claims that were not signed': bearer(({ tokens }) => altered(tokens.root, { role: 'RestRootAgentWithTenants' })),

  'no role': withClaims(() => ({ role: undefined })),
  'an unknown role': withClaims(() => ({ role: 'restrootagent' })),
  'several roles': withClaims(() => ({ role: ['RestRootAgent'] })),
  'a tenant role without a tenant': withClaims(() => ({ role: 'RestTenantAgent' })),
  'a tenant role for the base agent': withClaims(() => ({ role: 'RestTenantAgent', tenantId: '@base' })),
  'a tenant role for several tenants': withClaims(({ acme }) => ({
    role: 'RestTenantAgent',
    tenantId: [acme.tenantId],
  })),
  'a tenant that does not exist': withClaims(() => ({ role: 'RestTenantAgent', tenantId: randomUUID() })),
  'a tenant named like what every object has': withClaims(() => ({ role: 'RestTenantAgent', tenantId: '__proto__' })),
  'a tenant that is no id': withClaims(() => ({ role: 'RestTenantAgent', tenantId: 'a|b' })),
  'organizations that are none': withClaims(() => ({ resource_access: { acme: { roles: 'owner' } } })),
}
