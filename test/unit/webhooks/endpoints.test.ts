/** Endpoints as their organization manages them: listed without secrets, deleted, rotated, enabled, tested. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { destinationItem, isClosed } from '../../../lib/outbox/destinations/destination.ts'
import { reportToDestination } from '../../../lib/outbox/destinations/destination-access.ts'
import { endpointDestination } from '../../../lib/outbox/wake-ups/keys.ts'
import type { Item } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import type { UnitOfWork } from '../../../lib/store/unit-of-work.ts'
import { insertTenant } from '../../../lib/tenants/tenants.ts'
import { deleteEndpoint, enableEndpoint } from '../../../lib/webhooks/endpoint-changes.ts'
import { type Endpoint, endpointItem } from '../../../lib/webhooks/endpoint-item.ts'
import {
  assertEndpointExists,
  type EndpointPath,
  listEndpoints,
  requireEnabledEndpoint,
} from '../../../lib/webhooks/endpoints.ts'
import { pendingEventItem } from '../../../lib/webhooks/event-item.ts'
import { registerEndpoint, registerPending, rotateSecret } from '../../../lib/webhooks/registrations.ts'
import { sendTestEvent } from '../../../lib/webhooks/replays.ts'
import { decryptSecrets } from '../../../lib/webhooks/secrets.ts'
import { nameQueues, type SentWakeUps, watchQueues } from '../outbox/sent-wake-ups.ts'
import { failure } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOT_FOUND = expect.objectContaining({ code: 'resource.not_found' })
const NOT_ACTIVE = expect.objectContaining({ code: 'endpoint.not_active' })
const CONFLICT = expect.objectContaining({ code: 'store.conflict' })
const UNKNOWN = 'd734a876-e3ca-478c-901f-b447ad6b579f'

let queues: SentWakeUps
let organizations = 0
let orgId: string

nameQueues()
const table = await useTable({ memory: true })
beforeEach(async () => {
  // Mocks are restored after each test.
  queues = watchQueues()
  organizations += 1
  orgId = `org${organizations}`
  const tenant = { id: `tenant${organizations}`, orgId, label: orgId, createdAt: '2026-01-01T00:00:00.000Z' }
  await act(async (unit) => insertTenant(unit, tenant))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Operate = (unit: UnitOfWork, path: EndpointPath) => Promise<object>

const act = <T>(what: (unit: UnitOfWork) => Promise<T>, repetitions?: number): Promise<T> =>
  transaction('@base', what, repetitions)

/** Registers an endpoint and returns its id and secret. */
const register = async (kind: Endpoint['kind'] = 'webhook', url = `https://example.com/${kind}`) => {
  const { registration, secret = '' } = await act((unit) => registerEndpoint(unit, { orgId, kind, url }))
  return { path: { orgId, endpointId: registration.id }, secret }
}
const request = async (url: string) => {
  const { registration } = await act((unit) => registerPending(unit, { orgId, kind: 'notification', url }))
  return { orgId, endpointId: registration.id }
}
/** Without the id of its last write. */
const item = async (sk: string): Promise<Item | undefined> => {
  const { writeId: _, ...stored } = (await table.get({ pk: `@org|${orgId}`, sk })) ?? {}
  return stored.pk === undefined ? undefined : stored
}
const endpoint = async (): Promise<Endpoint> => {
  const stored = await item('webhook')
  if (stored === undefined) throw new Error('there is no endpoint')
  return endpointItem.decode(stored)
}

const HEALTH = {
  failingSince: '2026-11-01T00:00:00.000Z',
  lastSuccessAt: '2026-10-31T00:00:00.000Z',
  lastFailureAt: '2026-11-06T00:00:00.000Z',
  lastError: 'status 500',
}
const DISABLED = { ...HEALTH, disabledAt: '2026-11-06T00:00:00.000Z', disabledReason: 'failing' }

/** Writes a state of health, as deliveries do. */
const become = async (status: Endpoint['status'], health: Record<string, string> = {}) => {
  const stored = await item('webhook')
  const attributes = Object.entries(health).map(([name, value]) => [name, { S: value }])
  const version = { N: String(Number(stored?.version?.N) + 1) }
  await table.put({ ...stored, ...Object.fromEntries(attributes), status: { S: status }, version })
}

describe('the list of endpoints', () => {
  test('should show each with its kind and status: active ones before pending ones, the newest of those first', async () => {
    const notification = await register('notification')
    const pending: string[][] = []
    // Their ids, by which the table sorts them, are random.
    for (let count = 0; count < 5; count++) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 })
      const url = `https://example.com/${count}`
      pending.unshift([(await request(url)).endpointId, 'notification', 'pending', url])
    }
    const webhook = await register('webhook')
    expect((await listEndpoints(orgId)).map(({ id, kind, status, url }) => [id, kind, status, url])).toEqual([
      [notification.path.endpointId, 'notification', 'active', 'https://example.com/notification'],
      ...pending,
      [webhook.path.endpointId, 'webhook', 'active', 'https://example.com/webhook'],
    ])
  })

  test('should say when a pending one is forgotten, and forget it', async () => {
    await request('https://example.com/hook')
    const [pending] = await listEndpoints(orgId)
    expect(Date.parse(pending?.expiresAt ?? '') - Date.now()).toBeGreaterThan(6.9 * DAY)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(pending?.expiresAt ?? '') })
    expect(await listEndpoints(orgId)).toEqual([])
  })

  test('should show health unchanged, and omit undefined fields', async () => {
    await register()
    const [healthy] = await listEndpoints(orgId)
    expect(Object.keys(healthy ?? {}).sort()).toEqual(
      ['createdAt', 'id', 'kind', 'orgId', 'status', 'updatedAt', 'url'].sort(),
    )
    await become('disabled', DISABLED)
    expect(await listEndpoints(orgId)).toEqual([{ ...healthy, status: 'disabled', ...DISABLED }])
  })

  test('should hold no secret, new or old, sealed or open', async () => {
    const { path, secret } = await register()
    const rotated = await act((unit) => rotateSecret(unit, path))
    const shown = JSON.stringify(await listEndpoints(orgId))
    expect(shown).not.toContain('whsec_')
    for (const part of [secret, rotated.secret]) expect(shown).not.toContain(part.replace('whsec_', ''))
    expect(shown).not.toMatch(/"secret"|"previousSecret"/)
  })

  test("should hold no other organization's", async () => {
    const { path } = await register()
    expect(await listEndpoints(`${orgId}0`)).toEqual([])
    expect(await listEndpoints(path.endpointId)).toEqual([])
  })
})

describe('an endpoint that is not there', () => {
  test.each<[string, Operate]>([
    ['deleted', deleteEndpoint],
    ['rotated', rotateSecret],
    ['enabled', enableEndpoint],
    ['tested', sendTestEvent],
    ['replayed to', requireEnabledEndpoint],
  ])('should not be %s, nor should that of another organization', async (_, operate) => {
    const { path } = await register()
    const before = await table.items('@org|')
    await expect(act((unit) => operate(unit, { orgId, endpointId: UNKNOWN }))).rejects.toEqual(NOT_FOUND)
    await expect(act((unit) => operate(unit, { ...path, orgId: 'other' }))).rejects.toEqual(NOT_FOUND)
    expect(await table.items('@org|')).toEqual(before)
  })

  test('should not count as one', async () => {
    const { path } = await register()
    await expect(assertEndpointExists(path)).resolves.toBeUndefined()
    await expect(assertEndpointExists({ ...path, orgId: 'other' })).rejects.toEqual(NOT_FOUND)
    await expect(assertEndpointExists({ orgId, endpointId: UNKNOWN })).rejects.toEqual(NOT_FOUND)
  })
})

describe('a pending registration', () => {
  test.each<[string, Operate]>([
    ['rotated', rotateSecret],
    ['enabled', enableEndpoint],
    ['tested', sendTestEvent],
    ['replayed to', requireEnabledEndpoint],
  ])('should not be %s', async (_, operate) => {
    const path = await request('https://example.com/hook')
    await expect(act((unit) => operate(unit, path))).rejects.toEqual(NOT_ACTIVE)
  })

  test('should be deleted like an endpoint', async () => {
    const { path } = await register('notification')
    const pending = await request('https://example.com/hook')
    expect(await act((unit) => deleteEndpoint(unit, pending))).toMatchObject({ status: 'pending' })
    expect((await listEndpoints(orgId)).map(({ id }) => id)).toEqual([path.endpointId])
  })
})

describe('deleting', () => {
  test('should return the endpoint as it was, and leave the other one', async () => {
    const { path } = await register('webhook')
    const other = await register('notification')
    await become('disabled', DISABLED)
    const [, listed] = await listEndpoints(orgId)
    expect(await act((unit) => deleteEndpoint(unit, path))).toEqual(listed)
    expect((await listEndpoints(orgId)).map(({ id }) => id)).toEqual([other.path.endpointId])
    await expect(act((unit) => deleteEndpoint(unit, path))).rejects.toEqual(NOT_FOUND)
  })

  test('should not delete an endpoint that was replaced meanwhile', async () => {
    const { path } = await register()
    const deleting = act(async (unit) => {
      const deleted = await deleteEndpoint(unit, path)
      await register('webhook', 'https://example.org/other')
      return deleted
    }, 0)
    await expect(deleting).rejects.toEqual(CONFLICT)
    expect((await listEndpoints(orgId)).map(({ url }) => url)).toEqual(['https://example.org/other'])
  })
})

describe('rotating', () => {
  test('should show a new secret, and have both sign for 24 hours', async () => {
    const { path, secret } = await register()
    const now = Date.now()
    const rotated = await act((unit) => rotateSecret(unit, path, now))
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(rotated.secret).not.toBe(secret)
    const stored = await endpoint()
    expect(await decryptSecrets(stored, now)).toEqual([rotated.secret, secret])
    expect(await decryptSecrets(stored, now + DAY - 1000)).toEqual([rotated.secret, secret])
    expect(await decryptSecrets(stored, now + DAY)).toEqual([rotated.secret])
  })

  test('should show its end in the response and in the list, until it has passed', async () => {
    const { path } = await register()
    const now = 1000 * Math.floor(Date.now() / 1000)
    vi.useFakeTimers({ toFake: ['Date'], now })
    const { secret: _, ...shown } = await act((unit) => rotateSecret(unit, path))
    expect(await listEndpoints(orgId)).toEqual([shown])
    const until = Date.parse(shown.previousSecretUntil ?? '')
    expect(until).toBe(now + DAY)
    vi.setSystemTime(until)
    expect((await listEndpoints(orgId))[0]).not.toHaveProperty('previousSecretUntil')
  })

  test('twice should leave the last two: of the first nothing signs any more', async () => {
    const { path, secret } = await register()
    const first = await act((unit) => rotateSecret(unit, path))
    const second = await act((unit) => rotateSecret(unit, path))
    expect(await decryptSecrets(await endpoint(), Date.now())).toEqual([second.secret, first.secret])
    expect(new Set([secret, first.secret, second.secret]).size).toBe(3)
  })

  test('should change nothing else except version and time', async () => {
    const { path } = await register()
    await become('failing', HEALTH)
    const before = await item('webhook')
    await act((unit) => rotateSecret(unit, path, Date.now() + 1000))
    const after = await item('webhook')
    const { secret, version, updatedAt, previousSecret, previousUntil, ...rest } = after ?? {}
    expect({ ...rest, secret: previousSecret, version: before?.version, updatedAt: before?.updatedAt }).toEqual(before)
    expect(Number(version?.N)).toBe(Number(before?.version?.N) + 1)
    expect((updatedAt?.S ?? '') > (before?.updatedAt?.S ?? '')).toBe(true)
    expect(previousUntil?.N).toBeDefined()
    expect(secret?.B).not.toEqual(before?.secret?.B)
  })

  test('at the same time as another writer should see what that one wrote', async () => {
    const { path } = await register()
    let runs = 0
    await act(async (unit) => {
      runs += 1
      const rotated = await rotateSecret(unit, path)
      if (runs === 1) await become('failing', HEALTH)
      return rotated
    })
    expect(runs).toBe(2)
    expect(await endpoint()).toMatchObject({ status: 'failing', ...HEALTH })
  })
})

describe('enabling', () => {
  test('should make a disabled endpoint active, with no health but that', async () => {
    const { path } = await register()
    const [healthy] = await listEndpoints(orgId)
    const fresh = await item('webhook')
    await become('disabled', DISABLED)
    const enabled = await act((unit) => enableEndpoint(unit, path, Date.parse('2026-11-07T00:00:00.000Z')))
    const updatedAt = '2026-11-07T00:00:00.000Z'
    expect(enabled).toEqual({ ...healthy, updatedAt })
    expect(await listEndpoints(orgId)).toEqual([{ ...healthy, updatedAt }])
    expect(await item('webhook')).toEqual({ ...fresh, version: { N: '3' }, updatedAt: { S: updatedAt } })
  })

  test('should keep the secrets', async () => {
    const { path, secret } = await register()
    const rotated = await act((unit) => rotateSecret(unit, path))
    await become('disabled', DISABLED)
    await act((unit) => enableEndpoint(unit, path))
    expect(await decryptSecrets(await endpoint(), Date.now())).toEqual([rotated.secret, secret])
  })

  test.each([
    ['active', {}],
    ['failing', HEALTH],
  ] as const)('should leave an endpoint that is %s as it is', async (status, health) => {
    const { path } = await register()
    await become(status, health)
    const before = await item('webhook')
    const enabled = await act((unit) => enableEndpoint(unit, path))
    expect(enabled).toMatchObject({ status, ...health })
    expect(await item('webhook')).toEqual(before)
  })
})

describe('what waits for an endpoint that is closed', () => {
  /** As after failures of the endpoint. */
  const close = async (endpointId: string): Promise<string> => {
    const destination = endpointDestination(endpointId)
    await reportToDestination(
      destination,
      { kind: 'failed', lane: 'lane', party: 'party', scope: 'connection', probe: false, random: 0.5 },
      Date.now(),
    )
    queues.clear()
    return destination
  }
  const isClosedNow = async (destination: string): Promise<boolean> => {
    const found = await table.get(destinationItem.addressOf({ destination }))
    return found !== undefined && isClosed(destinationItem.decode(found))
  }

  test('should be looked at when the endpoint is enabled', async () => {
    const { path } = await register()
    await become('disabled', DISABLED)
    const destination = await close(path.endpointId)
    await act((unit) => enableEndpoint(unit, path))
    expect(await isClosedNow(destination)).toBe(false)
    expect(queues.sent).toMatchObject([{ queue: 'timers', body: { destination } }])
  })

  test('should be looked at when the endpoint is deleted', async () => {
    const { path } = await register()
    const destination = await close(path.endpointId)
    await act((unit) => deleteEndpoint(unit, path))
    expect(await isClosedNow(destination)).toBe(false)
    expect(queues.sent).toMatchObject([{ queue: 'timers', body: { destination } }])
  })

  test('should be left to the next probe where that fails: the endpoint is deleted all the same', async () => {
    const { path } = await register()
    const destination = await close(path.endpointId)
    table.way = (command, send) =>
      command === 'GetItem' ? Promise.reject(failure('InternalServerError', { $fault: 'server' })) : send()
    await act((unit) => deleteEndpoint(unit, path))
    table.way = undefined
    expect(await listEndpoints(orgId)).toEqual([])
    expect(await isClosedNow(destination)).toBe(true)
  })
})

describe('a test event', () => {
  const events = async ({ endpointId }: { endpointId: string }) =>
    (await table.items(`@outbox|${orgId}|${endpointId}|`)).map((found) => pendingEventItem.decode(found))

  test('should be an event of the endpoint that waits to be delivered', async () => {
    const { path } = await register()
    const now = Date.parse('2026-11-20T12:00:00.123Z')
    const { eventId } = await act((unit) => sendTestEvent(unit, path, now))
    const [event, ...others] = await events(path)
    expect(others).toEqual([])
    expect(event).toMatchObject({
      id: eventId,
      type: 'endpoint.test',
      orgId,
      endpointId: path.endpointId,
      attempts: 0,
      occurredAt: '2026-11-20T12:00:00.123Z',
    })
    expect(JSON.parse(event?.body ?? '')).toMatchObject({
      type: 'endpoint.test',
      timestamp: '2026-11-20T12:00:00.123Z',
      data: { orgId, record: { id: path.endpointId } },
    })
    expect(event?.body).not.toContain('whsec_')
    expect(event?.recordId).toBe(eventId)
  })

  test('should differ for two requests in the same millisecond', async () => {
    const { path } = await register()
    const now = Date.now()
    const times = [now, now, now + 1].values()
    const send = () => act((unit) => sendTestEvent(unit, path, times.next().value))
    const ids = [await send(), await send()].map(({ eventId }) => eventId)
    expect(times.next().done).toBe(true)
    expect(new Set(ids).size).toBe(2)
  })

  test('should not go to an endpoint that is disabled', async () => {
    const { path } = await register()
    await become('disabled', DISABLED)
    await expect(act((unit) => sendTestEvent(unit, path))).rejects.toEqual(NOT_ACTIVE)
    expect(await events(path)).toEqual([])
  })

  test('should go to one that is failing', async () => {
    const { path } = await register()
    await become('failing', HEALTH)
    await act((unit) => sendTestEvent(unit, path))
    expect(await events(path)).toHaveLength(1)
  })
})
