/** An arbitrary of `Authorization` headers: valid tokens of all callers, tokens with odd claims, and corrupted tokens. */
import fc from 'fast-check'
import { oddName, oddText, oddValue } from '../support/api/odd-values.ts'
import { claimsOf, epochSeconds, signNow, unsecured } from '../support/api/tokens.ts'
import type { World } from '../support/api/world.ts'

/** Undefined: no header. */
export type Authorization = string | undefined

const now = epochSeconds()

/** Claims that are signed, and mean something or nothing. */
const oddClaims = fc.dictionary(
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.constantFrom('role', 'tenantId', 'resource_access', 'exp', 'nbf', 'iat', 'sub', 'aud', 'iss'),
    },
    { weight: 1, arbitrary: oddName },
  ),
  fc.oneof(
    oddValue,
    fc.constantFrom<unknown>('RestRootAgent', 'RestRootAgentWithTenants', 'RestTenantAgent', 'acme', ['agent', 'x']),
    fc.constantFrom<unknown>(now - 31, now - 29, now + 29, now + 31, now + 1e9, 1e300, 0, -1),
    fc.dictionary(oddName, fc.record({ roles: fc.array(fc.constantFrom('owner', 'admin', 'member', '', '*')) })),
  ),
  { minKeys: 1, maxKeys: 4 },
)

/** Longest header: with a longer one and a long path Node's parser, as the gateway, rejects the request as not HTTP. */
const LONGEST = 6000

/** Characters of a header (RFC 9110, section 5.5). */
const asHeader = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, LONGEST)

const cut = fc.record({ kind: fc.nat({ max: 5 }), where: fc.nat({ max: 10_000 }), text: oddText })

const spoil = (token: string, { kind, where, text }: { kind: number; where: number; text: string }): string => {
  const at = where % token.length
  const parts = token.split('.')
  const spoilt = [
    () => token.slice(0, at),
    () => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1),
    () => token.slice(0, at) + text + token.slice(at),
    () => parts.toReversed().join('.'),
    () => parts.slice(0, where % 3).join('.'),
    () => parts.with(where % 3, Buffer.from(text).toString('base64url')).join('.'),
  ]
  return spoilt[kind]?.() ?? token
}

export const authorizationArbitrary = (world: World): fc.Arbitrary<Authorization> => {
  const { tokens, base, acme, globex, issuers } = world
  const ghost = signNow(issuers.eddsa, claimsOf(issuers.eddsa, { role: 'RestTenantAgent', tenantId: 'ghost' }))
  const valid = [tokens.root, tokens.rootWithTenants, acme.token, acme.ownerToken, globex.ownerToken, base.token]
  const odd = oddClaims.map((claims) => signNow(issuers.eddsa, { ...claimsOf(issuers.eddsa), ...claims }))
  const spoilt = fc.tuple(fc.constantFrom(...valid), cut).map(([token, how]) => spoil(token, how))
  const header = fc.record({ alg: fc.oneof(fc.constantFrom('none', 'HS256', 'ES256', 'EdDSA'), oddValue) })
  const text = fc.oneof(
    {
      weight: 60,
      arbitrary: fc.constantFrom(tokens.rootWithTenants, acme.ownerToken).map((token) => `Bearer ${token}`),
    },
    { weight: 12, arbitrary: fc.constantFrom(...valid, ghost).map((token) => `Bearer ${token}`) },
    { weight: 8, arbitrary: odd.map((token) => `Bearer ${token}`) },
    { weight: 6, arbitrary: spoilt.map((token) => `Bearer ${token}`) },
    { weight: 2, arbitrary: header.map((odd) => `Bearer ${signNow(issuers.eddsa, claimsOf(issuers.eddsa), odd)}`) },
    { weight: 2, arbitrary: oddText.map((alg) => `Bearer ${unsecured(issuers.eddsa, alg)}`) },
    { weight: 2, arbitrary: oddText },
    { weight: 2, arbitrary: fc.constant(tokens.root) },
  )
  return fc.oneof({ weight: 97, arbitrary: text.map(asHeader) }, { weight: 3, arbitrary: fc.constant(undefined) })
}
