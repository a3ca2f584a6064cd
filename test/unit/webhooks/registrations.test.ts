/** Registrations: one active endpoint of each kind, requests that wait for a token, and sealed secrets. */
import { TransactionConflictException } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { requireDataKey, unseal } from '../../../lib/store/data-keys.ts'
import { itemBytes } from '../../../lib/store/item.ts'
import { epochSeconds, type Item } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { insertTenant } from '../../../lib/tenants/tenants.ts'
import { type NewEndpoint, registerEndpoint, registerPending } from '../../../lib/webhooks/registrations.ts'
import { failure } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'

const WEEK = 7 * 24 * 60 * 60
const CONFLICT = expect.objectContaining({ code: 'store.conflict' })

const table = await useTable({ memory: true })
let organizations = 0
let orgId: string

beforeEach(() => {
  organizations += 1
  orgId = `org${organizations}`
})
afterEach(() => {
  table.way = undefined
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const endpoint = (url: string, changes: Partial<NewEndpoint> = {}): NewEndpoint => ({
  orgId,
  kind: 'notification',
  url,
  ...changes,
})
const register = (url: string, changes?: Partial<NewEndpoint>) =>
  transaction('@base', (unit) => registerEndpoint(unit, endpoint(url, changes)))
const request = (url: string, changes?: Partial<NewEndpoint>) =>
  transaction('@base', (unit) => registerPending(unit, endpoint(url, changes)))

/** Makes the organization one that exists: with a tenant. */
const found = (id = orgId) =>
  transaction('@base', async (unit) =>
    insertTenant(unit, { id: `tenant-of-${id}`, orgId: id, label: id, createdAt: '2026-01-01T00:00:00.000Z' }),
  )

const items = async (): Promise<Item[]> =>
  (await table.items(`@org|${orgId}`)).filter(({ kind }) => kind?.S === 'registration')
const urls = async (status: string) =>
  (await items()).filter((item) => item.status?.S === status).map(({ url }) => url?.S ?? '')
const isPending = ({ status }: Item) => status?.S === 'pending'
const HOOK = 'https://example.com/hook'
const OTHER = 'https://example.org/hook'

/** Runs them one after the other, with a millisecond between them: they have an age. */
const requestEach = async (names: string[]) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  for (const name of names) {
    vi.setSystemTime(Date.now() + 1)
    await request(`https://example.com/${name}`)
  }
}

describe('an endpoint', () => {
  test('should be active with a new id and a secret', async () => {
    const { registration, secret } = await register(HOOK)
    expect(registration).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      orgId,
      kind: 'notification',
      url: HOOK,
      status: 'active',
      createdAt: expect.any(String),
      updatedAt: registration.createdAt,
    })
    expect(Buffer.from(secret?.replace(/^whsec_/, '') ?? '', 'base64')).toHaveLength(32)
  })

  test('should keep id, secret and age, and not show the secret again, where it is registered again', async () => {
    const first = await register(HOOK)
    const [before] = await items()
    const again = await register(HOOK)
    const [after] = await items()
    expect(again).not.toHaveProperty('secret')
    expect(again.registration).toMatchObject({ id: first.registration.id, createdAt: first.registration.createdAt })
    expect(after?.secret).toEqual(before?.secret)
    expect(await items()).toHaveLength(1)
  })

  test('should not change a rotation when it is registered again: the previous secret still signs', async () => {
    await register(HOOK)
    const [before] = await items()
    const rotated = { ...before, previousSecret: { B: new Uint8Array([1]) }, previousUntil: { N: '4102444800' } }
    await table.put(rotated)
    await register(HOOK)
    const [after] = await items()
    const secretsOf = (item: Item | undefined) => [item?.secret, item?.previousSecret, item?.previousUntil]
    expect(secretsOf(after)).toEqual(secretsOf(rotated))
    await register(OTHER)
    expect((await items())[0]).not.toHaveProperty('previousSecret')
  })

  test('should give way to one of another URL, which has another id and secret', async () => {
    const [first, second] = [await register(HOOK), await register(OTHER)]
    expect(second.registration.id).not.toBe(first.registration.id)
    expect(second.secret).toMatch(/^whsec_/)
    expect(second.secret).not.toBe(first.secret)
    expect(await urls('active')).toEqual([OTHER])
    const third = await register(HOOK)
    expect([first.secret, second.secret]).not.toContain(third.secret)
  })

  test('should stand beside one of the other kind, and those of other organizations', async () => {
    await register(HOOK)
    await register(OTHER, { kind: 'webhook' })
    await register('https://example.net', { orgId: `${orgId}-other` })
    expect((await items()).map(({ sk, url }) => [sk?.S, url?.S])).toEqual(
      expect.arrayContaining([
        ['notification', HOOK],
        ['webhook', OTHER],
      ]),
    )
    expect(await urls('active')).toHaveLength(3)
  })

  test('should not be stored where the table fails, whatever the caller makes of it', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    table.way = (command, send) =>
      command === 'Query' ? Promise.reject(failure('InternalServerError', { $fault: 'server' })) : send()
    await expect(register(HOOK)).rejects.toMatchObject({ code: 'store.unavailable' })
    expect(await items()).toEqual([])
  })
})

describe('a secret', () => {
  test('should be stored sealed, and decrypted with the key of its organization and its address', async () => {
    const { secret = '' } = await register(HOOK)
    const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const spellings = [secret, bytes, bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')]
    for (const item of await table.items())
      for (const [name, value] of Object.entries(item))
        for (const spelling of spellings) {
          const stored = Buffer.from(value.B ?? Buffer.from(value.S ?? value.N ?? ''))
          expect(stored.includes(spelling), `${item.pk?.S} ${name}`).toBe(false)
        }
    const [item] = await items()
    const key = await requireDataKey(`@org|${orgId}`)
    const opened = unseal(item?.secret?.B ?? new Uint8Array(), key, `@org|${orgId}|notification`)
    expect(Buffer.from(opened).toString()).toBe(secret)
    expect(() => unseal(item?.secret?.B ?? new Uint8Array(), key, `@org|${orgId}|webhook`)).toThrow()
  })

  test('should not be returned to callers without a token', async () => {
    await found()
    expect(await request(HOOK)).not.toHaveProperty('secret')
    expect((await items())[0]).not.toHaveProperty('secret')
    await register(HOOK)
    expect(await request(HOOK)).not.toHaveProperty('secret')
  })
})

describe('a pending registration', () => {
  beforeEach(() => found())

  test('should touch no active one', async () => {
    const { registration } = await register(HOOK)
    const [before] = await items()
    for (const url of [HOOK, OTHER]) {
      const pending = await request(url)
      expect(pending.registration).toMatchObject({ status: 'pending', url })
      expect(pending.registration.id).not.toBe(registration.id)
    }
    await requestEach(['1', '2', '3', '4', '5', '6'])
    expect((await items()).find((item) => !isPending(item))).toEqual(before)
  })

  test('should be one after repeated requests, each with another id and time, and wait from the last one on', async () => {
    const first = await request(HOOK)
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 60_000)
    const again = await request(HOOK)
    expect(again.registration.id).not.toBe(first.registration.id)
    expect(again.registration.createdAt).toBe(new Date().toISOString())
    expect(again.registration.updatedAt).toBe(again.registration.createdAt)
    const [item, ...rest] = await items()
    expect(rest).toEqual([])
    expect(item?.id?.S).toBe(again.registration.id)
    expect(Number(item?.expiresAt?.N)).toBe(epochSeconds() + WEEK)
  })

  test('should become active with the same id, and wait no more', async () => {
    const { registration } = await request(HOOK)
    await request(OTHER)
    const active = await register(HOOK)
    expect(active.registration).toMatchObject({
      id: registration.id,
      createdAt: registration.createdAt,
      status: 'active',
    })
    expect(active.secret).toMatch(/^whsec_/)
    expect(await urls('pending')).toEqual([OTHER])
    expect((await register(HOOK)).registration.id).toBe(registration.id)
    for (const item of await items()) expect(item.expiresAt === undefined).toBe(!isPending(item))
  })

  test('should not give its id to an endpoint that is active already', async () => {
    const { registration } = await register(HOOK)
    await request(HOOK)
    expect((await register(HOOK)).registration.id).toBe(registration.id)
    expect(await urls('pending')).toEqual([])
  })

  test('should give way to newer ones: five of an organization are kept', async () => {
    await requestEach(['1', '2', '3', '4', '5', '6', '7'])
    await found(`${orgId}-other`)
    await request(HOOK, { orgId: `${orgId}-other` })
    const own = (await items()).filter(({ pk }) => pk?.S === `@org|${orgId}`)
    expect(own.map(({ url }) => url?.S).sort()).toEqual(
      ['3', '4', '5', '6', '7'].map((name) => `https://example.com/${name}`),
    )
  })

  test('should count as new after a repeated request', async () => {
    await requestEach(['1', '2', '3', '4', '5', '1', '6'])
    expect((await urls('pending')).sort()).toEqual(
      ['1', '3', '4', '5', '6'].map((name) => `https://example.com/${name}`),
    )
  })

  test('should not become an active one of the other kind', async () => {
    const { registration } = await request(HOOK)
    expect((await register(HOOK, { kind: 'webhook' })).registration.id).not.toBe(registration.id)
    expect(await urls('pending')).toEqual([HOOK])
  })

  test('should be forgotten after a week, and its place be free', async () => {
    await requestEach(['1', '2', '3', '4', '5'])
    for (const item of await items()) await table.put({ ...item, expiresAt: { N: String(epochSeconds() - 1) } })
    await request('https://example.com/1')
    const expired = await register('https://example.com/2')
    expect(expired.registration.createdAt).toBe(expired.registration.updatedAt)
    const live = (await items()).filter(isPending).filter(({ expiresAt }) => Number(expiresAt?.N) > epochSeconds())
    expect(live.map(({ url }) => url?.S)).toEqual(['https://example.com/1'])
  })
})

describe('callers without a token do not learn whether an organization exists', () => {
  /** The shape of a response, and the requests to the table for it. */
  const observed = async (url: string) => {
    table.watch()
    const { registration, ...rest } = await request(url)
    const { id, createdAt, updatedAt, ...told } = registration
    expect(updatedAt).toBe(createdAt)
    expect(Object.keys(rest)).toEqual([])
    return { id, told, requests: [...table.requests] }
  }

  const EXISTING: [string, () => Promise<unknown>][] = [
    ['with a tenant', () => found()],
    ['with a tenant and five that wait', () => found().then(() => requestEach(['1', '2', '3', '4', '5']))],
    ['with a tenant and the same request', () => found().then(() => request(HOOK))],
    ['with a registration by a caller with a token', () => register(OTHER)],
  ]

  test.each(EXISTING)('the same requests to the table, and the same answer, for one %s', async (_, make) => {
    const nobodys = await observed(HOOK)
    expect(nobodys.requests).toEqual(['Query', 'Query', 'PutItem'])
    expect(await items()).toEqual([])
    const nobodysAgain = await observed(HOOK)
    await make()
    const theirs = await observed(HOOK)
    expect(await urls('pending')).toContain(HOOK)
    const { id, ...alike } = theirs
    expect({ ...nobodys, id: undefined }).toEqual({ ...alike, id: undefined })
    expect({ ...nobodysAgain, id: undefined }).toEqual({ ...alike, id: undefined })
    expect(new Set([id, nobodys.id, nobodysAgain.id]).size).toBe(3)
  })

  test('nothing is stored for one that does not exist, after any number of requests', async () => {
    const others = async () => (await table.items()).filter(({ kind }) => kind?.S !== 'decoy')
    const before = await others()
    await requestEach(['1', '2', '3', '4', '5', '6'])
    expect(await others()).toEqual(before)
    const decoys = (await table.items('@decoy|')).map(({ pk, ...item }) => JSON.stringify(item))
    // At several addresses: one would become a hot partition.
    expect(decoys.length).toBeGreaterThan(1)
    for (const decoy of decoys) for (const text of [orgId, 'example.com']) expect(decoy).not.toContain(text)
  })

  test('the same bytes are written for one that does not', async () => {
    const hook = `${HOOK}/ä`
    await request(hook)
    const length = Buffer.byteLength(hook)
    const decoys = (await table.items('@decoy|')).filter(({ url }) => Buffer.byteLength(url?.S ?? '') === length)
    await found()
    await request(hook)
    const [item] = await items()
    const sizeOf = (one: Item | undefined) => itemBytes({ ...one, pk: { S: '' }, sk: { S: '' }, kind: { S: '' } })
    for (const decoy of decoys) expect(Math.abs(sizeOf(decoy) - sizeOf(item))).toBeLessThanOrEqual(1)
    expect(decoys.length).toBeGreaterThan(0)
  })

  test('a slot with a conflicting write is requested again', async () => {
    await found()
    let refusals = 2
    table.way = (command, send) =>
      command === 'PutItem' && refusals-- > 0
        ? Promise.reject(new TransactionConflictException({ message: 'in use', $metadata: {} }))
        : send()
    expect((await request(HOOK)).registration).toMatchObject({ status: 'pending' })
    expect(await urls('pending')).toEqual([HOOK])
  })

  test("the base agent's exists", async () => {
    await request(HOOK, { orgId: 'base' })
    expect((await table.items('@org|base')).map(({ url }) => url?.S)).toEqual([HOOK])
  })
})

describe('many concurrent ones', () => {
  /** The results of the successful ones; the others got an error to retry. */
  const settled = async <T>(all: Promise<T>[]): Promise<T[]> => {
    const results = await Promise.allSettled(all)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toEqual(CONFLICT)
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  }

  test('should end with one active endpoint, whose secret was shown to one caller', async () => {
    const results = await settled([HOOK, OTHER, HOOK, OTHER, HOOK].map((url) => register(url)))
    const [item, ...rest] = await items()
    expect(rest).toEqual([])
    const sealed = unseal(
      item?.secret?.B ?? new Uint8Array(),
      await requireDataKey(`@org|${orgId}`),
      `@org|${orgId}|notification`,
    )
    const shown = results.filter(({ secret }) => secret === Buffer.from(sealed).toString())
    expect(shown).toHaveLength(1)
    expect(shown[0]?.registration).toMatchObject({ id: item?.id?.S, url: item?.url?.S })
  })

  test('should all get their answer without a token, and leave five that wait at most', async () => {
    await found()
    for (let round = 0; round < 4; round++) {
      const asked = [1, 2, 3, 4, 5, 6, 7].map((index) => request(`https://example.com/${round}-${index}`))
      expect(await Promise.all(asked)).toHaveLength(7)
    }
    const waiting = await items()
    expect(waiting.length).toBeLessThanOrEqual(5)
    expect(waiting.length).toBeGreaterThan(1)
    await request(HOOK)
    expect(await urls('pending')).toContain(HOOK)
  })

  test('should not keep the own people of an organization from registering', async () => {
    await found()
    await request(HOOK)
    const [{ registration }] = await Promise.all([
      register(HOOK),
      ...[1, 2, 3, 4, 5, 6, 7].map((index) => request(`https://example.com/${index}`)),
      ...[1, 2, 3].map(() => request(HOOK)),
    ])
    expect((await items()).filter((item) => !isPending(item)).map(({ id }) => id?.S)).toEqual([registration.id])
  })
})
