/**
 * The keys of an issuer with an address: prepared by a deployment, confirmed on schedule, asked for when a new one
 * turns up.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { storeConfirmedKeys } from '../../../lib/auth/confirmed-keys.ts'
import { ALL_GRANTS } from '../../../lib/auth/grants.ts'
import { createVerifier } from '../../../lib/auth/token.ts'
import type { TokenIssuer } from '../../../lib/auth/token-issuers.ts'
import { settings } from '../../../lib/settings.ts'
import {
  badAnswers,
  type IssuerServer,
  newSigningKey,
  type SigningKey,
  startIssuerServer,
} from '../../support/issuers/issuer-server.ts'
import { failure } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ISSUER = 'https://id.example'

let server: IssuerServer
/** Ms since the epoch; the table hides what has expired by its own clock. */
let now = Date.now()
let lines: Record<string, unknown>[] = []

process.env.LOG_LEVEL = 'warn'
vi.spyOn(console, 'log').mockImplementation((line) => lines.push(JSON.parse(line)))
const table = await useTable({ memory: true, check: false })
const old = await newSigningKey('old', ISSUER, () => now)
const fresh = await newSigningKey('fresh', ISSUER, () => now)

beforeEach(async () => {
  now = Date.now()
  lines = []
  server = await startIssuerServer()
  table.watch()
})
afterEach(async () => {
  table.way = undefined
  await server.stop()
})

const entry = (changes: Partial<TokenIssuer> = {}): TokenIssuer => ({
  issuer: ISSUER,
  audience: 'agent',
  jwksUri: server.jwksUri,
  jwks: { keys: [old.open] },
  preparedAt: now,
  grants: ALL_GRANTS,
  ...changes,
})
const verifier = (...issuers: TokenIssuer[]) => createVerifier(issuers, () => now / 1000)
const confirm = (at: number, ...keys: SigningKey[]) =>
  storeConfirmedKeys(server.jwksUri, { keys: keys.map(({ open }) => open), at })

const good = expect.objectContaining({ role: 'RestRootAgent' })
const refused = { code: 'auth.unauthorized' }
const unavailable = { code: 'auth.keys_unavailable' }
const events = () => lines.map(({ event }) => event)

describe('keys that were just prepared', () => {
  test('need neither the table nor the issuer', async () => {
    const verify = verifier(entry())
    expect(await verify(await old.sign())).toEqual(good)
    now += MINUTE
    expect(await verify(await old.sign())).toEqual(good)
    expect(table.requests).toEqual([])
    expect(server.requests).toBe(0)
  })

  test('do not keep a new key out: the issuer is asked for it, once for all who come at the same time', async () => {
    server.serve(old, fresh)
    const verify = verifier(entry())
    const token = await fresh.sign()
    expect(await Promise.all([verify(token), verify(token)])).toEqual([good, good])
    for (const key of [old, fresh]) expect(await verify(await key.sign())).toEqual(good)
    expect(server.requests).toBe(1)
  })
})

describe('keys that were prepared some time ago', () => {
  const prepared = () => entry({ preparedAt: now - HOUR })

  test('are confirmed by the table, and the issuer is not asked', async () => {
    await confirm(now - MINUTE, old)
    table.watch()
    expect(await verifier(prepared())(await old.sign())).toEqual(good)
    expect(table.requests).toEqual(['GetItem'])
    expect(server.requests).toBe(0)
  })

  test('are replaced by confirmed ones: a key that the issuer withdrew is rejected', async () => {
    await confirm(now - MINUTE, fresh)
    server.serve(fresh)
    const verify = verifier(prepared())
    expect(await verify(await fresh.sign())).toEqual(good)
    expect(server.requests).toBe(0)
    await expect(old.sign().then(verify)).rejects.toMatchObject(refused)
  })

  test('are rejected in a process that knew them, a minute after the table was updated', async () => {
    await confirm(now, old)
    server.serve(fresh)
    const verify = verifier(prepared())
    expect(await verify(await old.sign())).toEqual(good)
    now += 1
    await confirm(now, fresh)
    now += MINUTE
    await expect(old.sign().then(verify)).rejects.toMatchObject(refused)
  })

  test('are read once a minute at most while they are not confirmed, and work', async () => {
    const verify = verifier(prepared())
    for (let request = 0; request < 3; request++) expect(await verify(await old.sign())).toEqual(good)
    expect(table.requests).toEqual(['GetItem'])
    now += MINUTE
    expect(await verify(await old.sign())).toEqual(good)
    expect(table.requests).toEqual(['GetItem', 'GetItem'])
    expect(server.requests).toBe(0)
  })

  test('are looked up once for all who come at the same time', async () => {
    const verify = verifier(prepared())
    const token = await old.sign()
    expect(await Promise.all([verify(token), verify(token), verify(token)])).toEqual([good, good, good])
    expect(table.requests).toEqual(['GetItem'])
  })

  test('work while DynamoDB is unavailable, with a line in the log', async () => {
    table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
    expect(await verifier(prepared())(await old.sign())).toEqual(good)
    expect(events()).toContain('issuer.keys_not_read')
  })

  test('work for a day without being confirmed; after an hour an alarm is raised', async () => {
    const verify = verifier(prepared())
    expect(await verify(await old.sign())).toEqual(good)
    expect(events()).toEqual([])
    now += 23 * HOUR - MINUTE
    expect(await verify(await old.sign())).toEqual(good)
    expect(lines).toMatchObject([
      {
        event: 'issuer.keys_not_confirmed',
        issuer: ISSUER,
        IssuerKeysNotConfirmed: 1,
        alarm: 'UnreachableAlarm',
      },
    ])
    expect(server.requests).toBe(0)
  })
})

describe('keys that the settings give beside the address', () => {
  const given = (at = now) => entry({ given: true, preparedAt: at })

  test('work while nothing is confirmed, and the issuer is not asked', async () => {
    expect(await verifier(given())(await old.sign())).toEqual(good)
    expect(server.requests).toBe(0)
  })

  test.each([
    ['given at a deployment', () => given()],
    ['without a time', () => entry({ preparedAt: undefined })],
  ])('are a fallback: a deployment brings no key back that the issuer withdrew (%s)', async (_, issuer) => {
    await confirm(now - 23 * HOUR, fresh)
    server.serve(fresh)
    const verify = verifier(issuer())
    await expect(old.sign().then(verify)).rejects.toMatchObject(refused)
    expect(await verify(await fresh.sign())).toEqual(good)
  })

  test('count no longer in a process that has used them, a minute after keys were confirmed', async () => {
    server.serve(fresh)
    const verify = verifier(given())
    expect(await verify(await old.sign())).toEqual(good)
    await confirm(now, fresh)
    now += MINUTE
    await expect(old.sign().then(verify)).rejects.toMatchObject(refused)
  })

  test('are looked for in the table once a minute at most', async () => {
    const verify = verifier(given())
    for (let request = 0; request < 3; request++) expect(await verify(await old.sign())).toEqual(good)
    expect(table.requests).toEqual(['GetItem'])
  })

  test('count when what was confirmed is older than a day, also in a process that used it', async () => {
    await confirm(now - 23 * HOUR, fresh)
    const verify = verifier(given())
    expect(await verify(await fresh.sign())).toEqual(good)
    now += HOUR + MINUTE
    expect(await verify(await old.sign())).toEqual(good)
  })

  test('count for a day, and then the issuer is asked', async () => {
    server.serve(fresh)
    const verify = verifier(given())
    expect(await verify(await old.sign())).toEqual(good)
    now += 24 * HOUR + 1
    await expect(old.sign().then(verify)).rejects.toMatchObject(refused)
    expect(server.requests).toBe(1)
  })

  test('of which none can verify are none: the issuer is asked', async () => {
    server.serve(fresh)
    const verify = verifier(entry({ given: true, jwks: { keys: [] } }))
    expect(await verify(await fresh.sign())).toEqual(good)
  })
})

describe('keys that were not confirmed for a day', () => {
  const prepared = () => entry({ preparedAt: now - 24 * HOUR - MINUTE })

  test('are no longer used: the issuer is asked', async () => {
    server.serve(fresh)
    const verify = verifier(prepared())
    await expect(old.sign().then(verify)).rejects.toMatchObject(refused)
    expect(await verify(await fresh.sign())).toEqual(good)
    expect(server.requests).toBe(1)
  })

  test('are our failure while the issuer is unreachable', async () => {
    await expect(old.sign().then(verifier(prepared()))).rejects.toMatchObject(unavailable)
  })

  test('are of no use when the table has none that are younger', async () => {
    await confirm(now - 25 * HOUR, old)
    await expect(old.sign().then(verifier(prepared()))).rejects.toMatchObject(unavailable)
    expect(events()).toContain('issuer.keys_not_confirmed')
  })

  test.each([true, false])(
    'wake somebody, whether the settings gave them or a deployment fetched them (%s)',
    async (given) => {
      await expect(old.sign().then(verifier({ ...prepared(), given }))).rejects.toMatchObject(unavailable)
      expect(events()).toContain('issuer.keys_not_confirmed')
    },
  )
})

test('an empty key set does not count: if the address is unreachable, that is our failure, not the caller’s', async () => {
  await expect(old.sign().then(verifier(entry({ jwks: { keys: [] } })))).rejects.toMatchObject(unavailable)
})

describe('clocks', () => {
  test('keys prepared in the future are not the newest: a withdrawn one is rejected', async () => {
    await confirm(now - MINUTE, fresh)
    server.serve(fresh)
    const verify = verifier(entry({ preparedAt: now + 6 * MINUTE }))
    await expect(old.sign().then(verify)).rejects.toMatchObject(refused)
    expect(await verify(await fresh.sign())).toEqual(good)
  })

  test('a few minutes are no difference', async () => {
    expect(await verifier(entry({ preparedAt: now + 4 * MINUTE }))(await old.sign())).toEqual(good)
    expect(server.requests).toBe(0)
  })
})

test('two issuers with the same kid are not taken for each other', async () => {
  const OTHER = 'https://other.example'
  const other = await startIssuerServer()
  const twin = await newSigningKey('old', OTHER, () => now)
  const forged = await newSigningKey('old', ISSUER, () => now)
  const verify = verifier(entry(), entry({ issuer: OTHER, jwksUri: other.jwksUri, jwks: { keys: [twin.open] } }))
  expect(await verify(await old.sign())).toEqual(good)
  expect(await verify(await twin.sign())).toEqual(good)
  await expect(forged.sign().then(verify)).rejects.toMatchObject(refused)
  // One withdraws it, the other does not.
  now += HOUR
  await confirm(now, fresh)
  await storeConfirmedKeys(other.jwksUri, { keys: [twin.open], at: now })
  server.serve(fresh)
  await expect(old.sign().then(verify)).rejects.toMatchObject(refused)
  expect(await verify(await twin.sign())).toEqual(good)
  await other.stop()
})

describe('forged tokens', () => {
  test('make us ask the issuer no oftener than every 30 s', async () => {
    server.serve(old)
    const verify = verifier(entry())
    for (let count = 0; count < 5; count++) await expect(fresh.sign().then(verify)).rejects.toMatchObject(refused)
    now += 29_000
    await expect(fresh.sign().then(verify)).rejects.toMatchObject(refused)
    expect(server.requests).toBe(1)
    now += 1_000
    await expect(fresh.sign().then(verify)).rejects.toMatchObject(refused)
    expect(server.requests).toBe(2)
  })

  test('make us ask one that fails no oftener than every 5 s', async () => {
    const verify = verifier(entry())
    for (let count = 0; count < 5; count++) await expect(fresh.sign().then(verify)).rejects.toMatchObject(refused)
    now += 4_000
    await expect(fresh.sign().then(verify)).rejects.toMatchObject(refused)
    expect(server.requests).toBe(1)
    now += 1_000
    server.serve(old, fresh)
    expect(await verify(await fresh.sign())).toEqual(good)
  })
})

describe('an issuer that responds with', () => {
  test.each(badAnswers('http://127.0.0.1:1/', { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), d: 'A'.repeat(43) }))(
    '%s has said nothing: its keys work, others are refused, and the log can tell why',
    async (_, listener) => {
      server.behave(listener)
      const verify = verifier(entry())
      await expect(fresh.sign().then(verify)).rejects.toMatchObject({ ...refused, cause: unavailable })
      expect(await verify(await old.sign())).toEqual(good)
      expect(server.requests).toBe(1)
    },
  )

  test.each(badAnswers('http://127.0.0.1:1/', { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), d: 'A'.repeat(43) }))(
    '%s is our failure where no keys are known, or they are too old, and the log can tell why',
    async (_, listener) => {
      server.behave(listener)
      const tooOld = entry({ preparedAt: now - 24 * HOUR - 1 })
      for (const issuer of [entry({ jwks: undefined, preparedAt: undefined }), tooOld]) {
        for (const key of [fresh, old])
          await expect(key.sign().then(verifier(issuer))).rejects.toMatchObject({
            ...unavailable,
            cause: expect.any(Error),
          })
      }
    },
  )

  test('its new key again, after an outage, has tokens of that key rejected until then', async () => {
    const verify = verifier(entry())
    await expect(fresh.sign().then(verify)).rejects.toMatchObject(refused)
    server.serve(fresh)
    now += 5_000
    expect(await verify(await fresh.sign())).toEqual(good)
    await expect(old.sign().then(verify)).rejects.toMatchObject({
      ...refused,
      cause: { code: 'ERR_JWKS_NO_MATCHING_KEY' },
    })
  })

  test('its keys is asked over a new connection: one that was kept over a freeze of the function is stale', async () => {
    const used = new Set<unknown>()
    server.behave(({ socket }, response) => {
      if (used.has(socket)) return socket.destroy()
      const { open } = used.size === 0 ? old : fresh
      used.add(socket)
      response.end(JSON.stringify({ keys: [open] }))
    })
    const verify = verifier(entry())
    await expect(fresh.sign().then(verify)).rejects.toMatchObject(refused)
    now += 30_000
    expect(await verify(await fresh.sign())).toEqual(good)
  })

  test('its keys late has served them when it was asked: what was confirmed since counts', async () => {
    server.behave((_, response) => {
      now += 2 * MINUTE
      response.end(JSON.stringify({ keys: [old.open] }))
    })
    const verify = verifier(entry())
    await expect(fresh.sign().then(verify)).rejects.toMatchObject(refused)
    await confirm(now - MINUTE, fresh)
    await expect(old.sign().then(verify)).rejects.toMatchObject(refused)
  })

  test.each([
    [good, 512 * 1024],
    [undefined, 512 * 1024 + 1],
  ])('its keys is believed up to 512 KiB (%#)', async (principal, bytes) => {
    server.behave((_, response) => response.end(JSON.stringify({ keys: [fresh.open] }).padEnd(bytes)))
    const verify = verifier(entry())
    expect(await verify(await fresh.sign()).catch(() => undefined)).toEqual(principal)
  })

  test('its keys over plain http is not even asked on AWS', async () => {
    server.serve(fresh)
    settings().LOCAL_STAGE = false
    try {
      await expect(fresh.sign().then(verifier(entry()))).rejects.toMatchObject({ ...refused, cause: unavailable })
      expect(server.requests).toBe(0)
    } finally {
      settings().LOCAL_STAGE = true
    }
  })
})
