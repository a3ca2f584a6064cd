/** `Authorization` headers that do not authenticate a caller. */
import { randomUUID } from 'node:crypto'
import { altered, epochSeconds, newIssuer, sign, unsecured } from './tokens.ts'
import type { World } from './world.ts'

/** Makes the value of the header; undefined: without the header. */
export type MakeHeader = (world: World) => Promise<string | undefined> | string | undefined

const bearer =
  (make: (world: World) => Promise<string> | string): MakeHeader =>
  async (world) =>
    `Bearer ${await make(world)}`

const withClaims = (claims: Record<string, unknown>): MakeHeader => bearer((world) => sign(world.issuers.eddsa, claims))

/** Headers that the operation with optional authorization treats as no token. */
export const NO_TOKEN: Record<string, MakeHeader> = {
  'no header': () => undefined,
  'an empty header': () => '',
}

/** One for each check: the header, the issuer, the signature, the claims, the tenant. All others: unit/auth. */
export const BAD_TOKENS = {
  'a scheme without a token': () => 'Bearer',
  'two tokens': ({ tokens }) => `Bearer ${tokens.root} ${tokens.root}`,
  'a token that is too long': withClaims({ more: 'x'.repeat(6200) }),
  'an expired token': withClaims({ exp: epochSeconds() - 60 }),
  'another issuer': withClaims({ iss: 'urn:test:nobody' }),
  'the algorithm none': bearer(({ issuers }) => unsecured(issuers.eddsa)),
  'the key of another issuer': bearer(async ({ issuers }) => {
    const { privateKey } = await newIssuer('other', 'EdDSA')
    return sign({ ...issuers.eddsa, privateKey: { ...privateKey, kid: String(issuers.eddsa.privateKey.kid) } })
  }),
  'claims that were not signed': bearer(({ tokens }) => altered(tokens.root, { role: 'RestRootAgentWithTenants' })),
  'no role': withClaims({ role: undefined }),
  'a tenant that does not exist': withClaims({ role: 'RestTenantAgent', tenantId: randomUUID() }),
} satisfies Record<string, MakeHeader>
