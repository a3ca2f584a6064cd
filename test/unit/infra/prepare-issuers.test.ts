/** The issuers that a deployment packs, and those that it rejects, in one line with what to do. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { findingsOf } from '../../../infra/deployment/finding.ts'
import {
  issuerProblem,
  packingTimes,
  prepareIssuers,
  withPackingTimes,
} from '../../../infra/deployment/prepare-issuers.ts'
import { ALL_GRANTS } from '../../../lib/auth/grants.ts'
import { keysOfText } from '../../../lib/auth/importable-keys.ts'
import type { VerifyingKey } from '../../../lib/auth/key-set.ts'
import type { TokenIssuer } from '../../../lib/auth/token-issuers.ts'

const NOW = Date.parse('2026-11-22T05:00:00.000Z')
const keys = keysOfText(readFileSync('test/support/issuers/keycloak-certs.json', 'utf8')) as VerifyingKey[]

const GIVEN: TokenIssuer = { issuer: 'https://given.example', audience: 'agent', jwks: { keys }, grants: ALL_GRANTS }
const { jwks: _, ...withoutKeys } = GIVEN
const SERVED: TokenIssuer = { ...withoutKeys, issuer: 'https://id.example', jwksUri: 'https://id.example.org/certs' }

const { ok, warning, fault } = findingsOf('token issuers')

const HAD = ok('the keys of https://given.example')

const answering = (answer: Awaited<ReturnType<Parameters<typeof prepareIssuers>[2] & object>>) => async () => answer
const nobody = async () => {
  throw new Error('nobody is to be asked')
}

test('keys are fetched from the address, and it is packed when that was', async () => {
  expect(await prepareIssuers([SERVED], NOW, answering({ keys }))).toEqual({
    issuers: [{ ...SERVED, jwks: { keys }, given: false, preparedAt: NOW }],
    findings: ok('the keys of https://id.example'),
  })
})

test('without an issuer there is no finding', async () => {
  expect(await prepareIssuers([], NOW, nobody)).toEqual({ issuers: [], findings: [] })
})

test('keys of the settings are packed unchanged, and the same each time, without a fetch', async () => {
  expect(await prepareIssuers([GIVEN], NOW, nobody)).toEqual({ issuers: [GIVEN], findings: HAD })
})

test('keys that are given beside an address spare the deployment the question, and are marked as a fallback', async () => {
  const both = { ...SERVED, jwks: { keys } }
  const packed = [{ ...both, given: true, preparedAt: NOW }]
  expect((await prepareIssuers([both], NOW, nobody)).issuers).toEqual(packed)
  const claimed = { ...both, given: false, preparedAt: NOW + 1 }
  expect((await prepareIssuers([claimed], NOW, nobody)).issuers).toEqual(packed)
})

test('keys of which none can verify are told of, and no reason to deploy nothing where another issuer has some; beside an address they are none', async () => {
  const empty = { ...GIVEN, jwks: { keys: [] } }
  const found =
    'the jwks of https://given.example has no key that could verify a token, so none of it is valid: give its public keys, or its jwksUri'
  expect(await prepareIssuers([empty], NOW, nobody)).toEqual({
    issuers: [empty],
    findings: fault(found),
  })
  const other = { ...GIVEN, issuer: 'https://other.example' }
  for (const usable of [other, SERVED])
    expect((await prepareIssuers([empty, usable], NOW, answering({ keys }))).findings).toEqual(warning(found))
  const { issuers } = await prepareIssuers([{ ...SERVED, jwks: { keys: [] } }], NOW, answering({ keys }))
  expect(issuers).toEqual([{ ...SERVED, jwks: { keys }, given: false, preparedAt: NOW }])
})

test('of keys that are given, those that nothing can be verified with are not packed', async () => {
  const broken = { kty: 'RSA', n: 'A'.repeat(342), e: 'AQAB' }
  const given = await prepareIssuers([{ ...GIVEN, jwks: { keys: [broken, ...keys] } }], NOW, nobody)
  expect(given).toEqual({ issuers: [GIVEN], findings: HAD })
  const asked = await prepareIssuers([{ ...SERVED, jwks: { keys: [broken] } }], NOW, answering({ keys }))
  expect(asked.issuers).toEqual([{ ...SERVED, jwks: { keys }, given: false, preparedAt: NOW }])
  expect((await prepareIssuers([{ ...GIVEN, jwks: { keys: [broken] } }], NOW, nobody)).findings).toEqual(
    fault(expect.stringContaining('has no key that could verify a token')),
  )
})

test('an unreachable issuer does not prevent a deployment, and is reported', async () => {
  const { issuers, findings } = await prepareIssuers(
    [SERVED],
    NOW,
    answering({ reason: 'status 503', rejected: false }),
  )
  expect(issuers).toEqual([SERVED])
  expect(findings).toEqual(
    warning(
      'https://id.example.org/certs does not serve the keys of https://id.example (status 503), so they are not packed, and until it does its tokens are rejected: make it reachable from the internet, or give its keys as jwks beside jwksUri',
    ),
  )
})

test.each([
  'is not JSON',
  'is too large',
  'holds a private key',
  'has no key that could verify a token',
  'is not a JSON Web Key Set',
])('an invalid key set does not prevent a deployment: %s', async (reason) => {
  const ask = async (url: string) => (url === SERVED.jwksUri ? { reason, rejected: false } : { keys })
  const other: TokenIssuer = { ...SERVED, issuer: 'https://other.example', jwksUri: 'https://other.example/certs' }
  const { issuers, findings } = await prepareIssuers([SERVED, other], NOW, ask)
  expect(issuers).toEqual([SERVED, { ...other, jwks: { keys }, given: false, preparedAt: NOW }])
  expect(findings).toEqual([
    expect.objectContaining({
      status: 'warning',
      message: expect.stringContaining(`${SERVED.jwksUri} does not serve the keys of https://id.example (${reason})`),
    }),
  ])
})

describe('is rejected', () => {
  test('an issuer whose address leads inside', async () => {
    const answer = { reason: 'id.example.org leads to 10.0.0.1, private', rejected: true }
    expect((await prepareIssuers([SERVED], NOW, answering(answer))).findings).toEqual(
      fault(
        'https://id.example.org/certs, for the keys of https://id.example, is rejected: id.example.org leads to 10.0.0.1, private. Give the keys as jwks beside jwksUri if they cannot be fetched from here',
      ),
    )
  })

  test.each<[string, TokenIssuer, string]>([
    [
      'without keys and address',
      withoutKeys,
      'https://given.example has neither jwks nor jwksUri: no token of it would be valid',
    ],
    [
      'at an address without TLS',
      { ...SERVED, jwksUri: 'http://id.example.org/certs' },
      'the jwksUri of https://id.example is rejected: not https',
    ],
    [
      'inside',
      { ...SERVED, jwksUri: 'https://10.0.0.1/certs' },
      'the jwksUri of https://id.example is rejected: private',
    ],
    [
      'with a password in its address',
      { ...SERVED, jwksUri: 'https://a:b@id.example.org/certs' },
      'the jwksUri of https://id.example is rejected: credentials in the URL',
    ],
  ])('one %s', async (_, issuer, problem) => {
    expect(issuerProblem([GIVEN, issuer])).toBe(problem)
    const { findings } = await prepareIssuers([GIVEN, issuer], NOW, nobody)
    expect(findings).toEqual(fault(problem))
  })
})

test('what an earlier deployment packed as well has its time again, and nothing else', () => {
  const packed: TokenIssuer = { ...SERVED, jwks: { keys: [] }, given: false, preparedAt: NOW }
  const times = packingTimes([packed, GIVEN])
  expect(Object.values(times)).toEqual([NOW])
  const later = NOW + 1
  const [same, other, without] = withPackingTimes(
    [{ ...packed, preparedAt: later }, { ...packed, audience: 'another', preparedAt: later }, GIVEN],
    times,
  )
  expect([same, other?.preparedAt, without]).toEqual([packed, later, GIVEN])
})
