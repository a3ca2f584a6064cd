/** The scheduled function that asks the issuers for their keys: what it stores, and what changes nothing. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { confirmKeys } from '../../../lib/auth/confirm-keys.ts'
import { issuerKeysItem, readConfirmedKeys, storeConfirmedKeys } from '../../../lib/auth/confirmed-keys.ts'
import { ALL_GRANTS } from '../../../lib/auth/grants.ts'
import type { TokenIssuer } from '../../../lib/auth/token-issuers.ts'
import { settings } from '../../../lib/settings.ts'
import { badAnswers, type IssuerServer, newSigningKey, startIssuerServer } from '../../support/issuers/issuer-server.ts'
import { failure } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const now = Date.now()

let server: IssuerServer
let other: IssuerServer
let lines: Record<string, unknown>[] = []

process.env.LOG_LEVEL = 'warn'
vi.spyOn(console, 'log').mockImplementation((line) => lines.push(JSON.parse(line)))
const table = await useTable({ memory: true })
const key = await newSigningKey('key', 'https://id.example', () => now)
const next = await newSigningKey('next', 'https://id.example', () => now)

beforeEach(async () => {
  lines = []
  server = await startIssuerServer()
  other = await startIssuerServer()
  table.watch()
})
afterEach(async () => {
  table.way = undefined
  await server.stop()
  await other.stop()
})

const entry = ({ jwksUri }: { jwksUri: string }, changes: Partial<TokenIssuer> = {}): TokenIssuer => ({
  issuer: 'https://id.example',
  audience: 'agent',
  jwksUri,
  grants: ALL_GRANTS,
  ...changes,
})
const stored = ({ jwksUri }: IssuerServer) => readConfirmedKeys(jwksUri)

test('stores what the issuer serves, the newest for the last, for three days, longer than it is used', async () => {
  server.serve(key, next)
  await confirmKeys([entry(server)], now - 15 * MINUTE)
  expect(await stored(server)).toEqual({ keys: [key.open, next.open], at: now - 15 * MINUTE })
  server.serve(next)
  await confirmKeys([entry(server)], now)
  expect(await stored(server)).toEqual({ keys: [next.open], at: now })
  const item = await table.get(issuerKeysItem.addressOf(server))
  expect(item?.expiresAt?.N).toBe(String(Math.floor(now / 1000) + 3 * 24 * 60 * 60))
  expect(lines).toEqual([])
})

test('asks an address once, however many audiences its issuer has', async () => {
  server.serve(key)
  await confirmKeys([entry(server), entry(server, { audience: 'another' })], now)
  expect(server.requests).toBe(1)
})

test('fetches nothing if the settings have the keys', async () => {
  const { jwksUri: _, ...withoutAddress } = entry(server, { jwks: { keys: [key.open] } })
  await confirmKeys([withoutAddress], now)
  expect(table.requests).toEqual([])
})

describe('changes nothing for a response that is', () => {
  test.each([...badAnswers('', { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), d: 'A'.repeat(43) })])(
    '%s, and follows no redirect',
    async (what, listener) => {
      server.serve(key)
      other.serve(next)
      await confirmKeys([entry(server)], now - HOUR)
      const before = await stored(server)
      const redirect = badAnswers(other.jwksUri, {}).find(([name]) => name === what && what === 'a redirect')?.[1]
      server.behave(redirect ?? listener)
      await confirmKeys([entry(server)], now)
      expect(await stored(server)).toEqual(before)
      expect(other.requests).toBe(0)
      expect(lines).toMatchObject([{ event: 'issuer.keys_not_fetched', issuer: 'https://id.example' }])
      expect(JSON.stringify(lines)).not.toContain('AAAA')
    },
  )
})

test('sends no request to internal addresses, on AWS', async () => {
  server.serve(key)
  settings().LOCAL_STAGE = false
  try {
    await confirmKeys([entry(server), entry({ jwksUri: 'https://169.254.169.254/latest/meta-data' })], now)
  } finally {
    settings().LOCAL_STAGE = true
  }
  expect(server.requests).toBe(0)
  expect(await stored(server)).toBeUndefined()
})

describe('an alarm is raised', () => {
  const woken = async (issuer: TokenIssuer) => {
    lines = []
    await confirmKeys([issuer], now)
    return lines.filter(({ event }) => event === 'issuer.keys_not_confirmed').length === 1
  }

  test('when the keys were confirmed over an hour ago, and not before', async () => {
    await storeConfirmedKeys(server.jwksUri, { keys: [key.open], at: now - HOUR })
    expect(await woken(entry(server))).toBe(false)
    await storeConfirmedKeys(server.jwksUri, { keys: [key.open], at: now - HOUR - 1 })
    expect(await woken(entry(server))).toBe(true)
  })

  test('when they were never confirmed, and not prepared within the hour', async () => {
    expect(await woken(entry(server))).toBe(true)
    expect(await woken(entry(server, { preparedAt: now - 2 * HOUR }))).toBe(true)
    expect(await woken(entry(server, { preparedAt: now - 30 * MINUTE }))).toBe(false)
  })

  test('not when an older deployment prepared keys that were confirmed since', async () => {
    await storeConfirmedKeys(server.jwksUri, { keys: [key.open], at: now - 30 * MINUTE })
    expect(await woken(entry(server, { preparedAt: now - 2 * HOUR }))).toBe(false)
  })

  test('not when keys were confirmed since a deployment with a clock that is ahead', async () => {
    await storeConfirmedKeys(server.jwksUri, { keys: [key.open], at: now - 30 * MINUTE })
    expect(await woken(entry(server, { preparedAt: now + HOUR }))).toBe(false)
  })
})

test('one issuer that fails is no other’s failure', async () => {
  other.serve(key)
  await confirmKeys([entry(server), entry(other)], now)
  expect(await stored(other)).toMatchObject({ keys: [key.open] })
})

test('an unavailable DynamoDB is a failed invocation, after all issuers were fetched', async () => {
  server.serve(key)
  other.serve(next)
  table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
  await expect(confirmKeys([entry(server), entry(other)], now)).rejects.toMatchObject({ code: 'store.unavailable' })
  expect([server.requests, other.requests]).toEqual([1, 1])
})

test('what is stored of an issuer is gone some days after it is no longer one', async () => {
  server.serve(key)
  await confirmKeys([entry(server)], now - 4 * 24 * HOUR)
  expect(await stored(server)).toBeUndefined()
})
