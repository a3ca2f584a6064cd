/** What an organization does with its webhook endpoints, over HTTP: list, delete, rotate, test, enable, deliveries, replay. */
import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { api, expectError, expectInvalid, expectMalformed, newOrganization, tokenIn } from '../support/api/scene.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { waitFor } from '../wallet/wait.ts'

const UNKNOWN = 'd734a876-e3ca-478c-901f-b447ad6b579f'
const NOT_THERE = { message: 'there is no such endpoint' }
const IS_DISABLED = { message: 'the endpoint is disabled: enable it first' }
const IS_PENDING = { message: 'the registration is pending: register it with a token first' }

let receiver: FaultyReceiver
let orgId: string
let token: string

beforeAll(async () => {
  receiver = await startFaultyReceiver()
})
afterAll(() => receiver.stop())
beforeEach(async () => {
  orgId = `org-${randomUUID()}`
  token = await tokenIn(orgId, ['owner'])
})
afterEach(() => {
  receiver.behave({ status: 200 })
})

const listPath = (of = orgId) => `/webhooks/orgs/${of}`
const pathOf = (id: string, operation = '', of = orgId) => `${listPath(of)}/${id}${operation && `/${operation}`}`

interface Registered {
  id: string
  secret: string
  /** Of the receiver, where its events arrive. */
  path: string
}
const registerWebhook = async (): Promise<Registered> => {
  const path = `/${randomUUID()}`
  const { body } = await api.post(`${listPath()}/register`, { token, body: { webhookUrl: receiver.url + path } })
  return { id: body.data.id, secret: body.data.secret, path }
}
const registerNotification = async (as?: string) => {
  await newOrganization(orgId)
  const body = { orgId, notificationWebhook: 'https://example.org/notifications' }
  return api.post('/notification/register/webhook-endpoint', { token: as, body })
}

const list = async (as = token, of = orgId) => api.get(listPath(of), { token: as })
const operate = (id: string, operation: string, body?: object, headers: Record<string, string> = {}) =>
  api.post(pathOf(id, operation), { token, body, headers })
const deliveries = (id: string, query = '') => api.get(pathOf(id, `deliveries${query}`), { token })

const arrivedAt = (path: string) => receiver.received.filter((one) => one.path === path)
const arrived = (path: string, count: number) =>
  waitFor(`${count} at ${path}`, () => arrivedAt(path).length >= count && arrivedAt(path))

/** Waits for attempts to be noted: the receiver has its event a moment before. */
const noted = (id: string, count: number) =>
  waitFor(`${count} attempts`, async () => {
    const { body } = await deliveries(id)
    return body.length >= count && body
  })

const header = (one: FaultyReceiver['received'][number] | undefined, name: string) => String(one?.headers[name] ?? '')

/** Sends a test event, which the receiver answers with 410. */
const disable = async ({ id }: Registered): Promise<string> => {
  receiver.behave({ status: 410, body: 'gone' })
  const { body } = await operate(id, 'test')
  await waitFor('the endpoint to be disabled', async () => (await list()).body[0]?.status === 'disabled')
  receiver.behave({ status: 200 })
  return body.eventId
}

/** Every operation on an endpoint. */
const OF_AN_ENDPOINT = [
  ['DELETE', '', undefined],
  ['POST', 'rotate-secret', undefined],
  ['POST', 'test', undefined],
  ['POST', 'enable', undefined],
  ['GET', 'deliveries', undefined],
  ['POST', 'replay', { since: '2026-01-01T00:00:00Z' }],
] as const

describe('the list', () => {
  test('shows endpoints and pending registrations, and no secret', async () => {
    const { id } = await registerWebhook()
    await registerNotification()
    const answer = await list()
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual([
      expect.objectContaining({ kind: 'notification', status: 'pending', url: 'https://example.org/notifications' }),
      expect.objectContaining({ id, orgId, kind: 'webhook', status: 'active' }),
    ])
    expect(answer.text).not.toMatch(/secret/i)
    await registerNotification(token)
    await expectExample({ ...(await list()), asked: undefined })
  })
})

describe('a test', () => {
  test('arrives, signed with the secret that registering has shown', async () => {
    const { id, secret, path } = await registerWebhook()
    const answer = await operate(id, 'test')
    expect(answer).toMatchObject({ status: 202, body: { eventId: expect.stringMatching(/^[\da-f-]{36}$/) } })
    const [event] = await arrived(path, 1)
    expect(header(event, 'webhook-id')).toBe(answer.body.eventId)
    const headers = Object.fromEntries(
      Object.entries(event?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    )
    expect(new Webhook(secret).verify(event?.body ?? '', headers)).toMatchObject({
      type: 'endpoint.test',
      data: { orgId, record: { id } },
    })
    await expectExample({ ...answer, asked: undefined })
  })

  test('with an Idempotency-Key is one, also after repeated requests', async () => {
    const { id, path } = await registerWebhook()
    const headers = { 'idempotency-key': randomUUID() }
    const first = await operate(id, 'test', undefined, headers)
    expect((await operate(id, 'test', undefined, headers)).body).toEqual(first.body)
    await operate(id, 'test')
    const ids = (await arrived(path, 2)).map((event) => header(event, 'webhook-id'))
    expect(new Set(ids).size).toBe(2)
  })
})

describe('the deliveries', () => {
  test('are the attempts, newest first, with what the endpoint answered', async () => {
    const { id } = await registerWebhook()
    receiver.behave({ status: 500, body: `out of order: ${'x'.repeat(3000)}` })
    const failed = (await operate(id, 'test')).body.eventId
    await noted(id, 1)
    receiver.behave({ status: 204 })
    const taken = (await operate(id, 'test')).body.eventId
    await noted(id, 2)
    const answer = await deliveries(id)
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('link')
    const shared = {
      type: 'endpoint.test',
      attempt: 1,
      startedAt: expect.any(String),
      milliseconds: expect.any(Number),
    }
    expect(answer.body).toEqual([
      { ...shared, eventId: taken, status: 'delivered', responseStatus: 204, response: '' },
      {
        ...shared,
        eventId: failed,
        status: 'failed',
        responseStatus: 500,
        response: `out of order: ${'x'.repeat(1024 - 14)}`,
      },
    ])
    expect((await deliveries(id, '?status=failed')).body).toEqual(answer.body.slice(1))
    expect((await deliveries(id, '?status=delivered')).body).toEqual(answer.body.slice(0, 1))
    const shorten = (text: string) => text.replace(/x+$/, '...')
    const example = answer.body.map((one: Json) => ({ ...one, response: shorten(one.response), milliseconds: 12 }))
    await expectExample({ ...answer, asked: undefined, body: example })
  })

  test('come a page at a time, by the Link header', async () => {
    const { id } = await registerWebhook()
    for (let sent = 0; sent < 3; sent++) await operate(id, 'test')
    const all = await noted(id, 3)
    const first = await deliveries(id, '?limit=2')
    expect(first.body).toEqual(all.slice(0, 2))
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.link ?? '')?.[1] ?? ''
    const { pathname, search } = new URL(next)
    const second = await api.get(pathname + search, { token })
    expect(second.body).toEqual(all.slice(2))
    expect(second.headers).not.toHaveProperty('link')
    expectError(await deliveries(id, '?cursor=AAAA'), 400, { message: 'the cursor does not belong to this list' })
    const other = await registerWebhook()
    expect(await deliveries(other.id, search)).toMatchObject({ status: 200, body: [] })
  })

  test.each([
    ['?limit=0', ['limit']],
    ['?limit=1001', ['limit']],
    ['?status=held', ['status']],
    ['?cursor=%20', ['cursor']],
  ])('reject %s', async (query, fields) => {
    expectMalformed(await deliveries(UNKNOWN, query), 'query', fields)
  })
})

describe('rotating the secret', () => {
  test('shows a new one once, and events are signed with both', async () => {
    const { id, secret, path } = await registerWebhook()
    const answer = await operate(id, 'rotate-secret')
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) })
    expect(answer.body.secret).not.toBe(secret)
    expect(Date.parse(answer.body.previousSecretUntil) - Date.now()).toBeGreaterThan(23 * 3600_000)
    await operate(id, 'test')
    const [event] = await arrived(path, 1)
    expect(header(event, 'webhook-signature').split(' ')).toHaveLength(2)
    const headers = Object.fromEntries(
      Object.entries(event?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    )
    for (const one of [secret, answer.body.secret])
      expect(new Webhook(one).verify(event?.body ?? '', headers)).toMatchObject({ type: 'endpoint.test' })
    await expectExample({ ...answer, asked: undefined })
  })
})

describe('an endpoint that answers 410', () => {
  test('is disabled, rejects tests and replays until it is enabled, and then gets what it missed with the same id', async () => {
    const endpoint = await registerWebhook()
    const eventId = await disable(endpoint)
    expect((await list()).body[0]).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
      lastError: 'status 410',
    })
    expectError(await operate(endpoint.id, 'test'), 409, IS_DISABLED)
    expectError(await operate(endpoint.id, 'replay', { eventId }), 409, IS_DISABLED)

    const enabled = await operate(endpoint.id, 'enable')
    expect(enabled).toMatchObject({ status: 200, body: { id: endpoint.id, status: 'active' } })
    expect((await list()).body).toEqual([enabled.body])
    await expectExample({ ...enabled, asked: undefined })

    const replayed = await operate(endpoint.id, 'replay', { since: '2026-01-01T00:00:00Z', state: 'held' })
    expect(replayed).toMatchObject({ status: 202, body: { replayed: 1 } })
    const ids = (await arrived(endpoint.path, 2)).map((event) => header(event, 'webhook-id'))
    expect(ids).toEqual([eventId, eventId])
  })
})

describe('a replay', () => {
  test('of one event delivers it again: same id, same text, another signature', async () => {
    const { id, path } = await registerWebhook()
    const { eventId } = (await operate(id, 'test')).body
    await noted(id, 1)
    const answer = await operate(id, 'replay', { eventId })
    expect(answer).toMatchObject({ status: 202, body: { replayed: 1 } })
    const [first, second] = await arrived(path, 2)
    expect([first, second].map((event) => header(event, 'webhook-id'))).toEqual([eventId, eventId])
    expect(second?.body).toBe(first?.body)
    expect((await noted(id, 2)).map(({ attempt }: { attempt: number }) => attempt)).toEqual([1, 1])
  })

  test('since a time delivers all again, once for each call', async () => {
    const { id, path } = await registerWebhook()
    const since = new Date().toISOString()
    for (let sent = 0; sent < 3; sent++) await operate(id, 'test')
    await noted(id, 3)
    const headers = { 'idempotency-key': randomUUID() }
    const answer = await operate(id, 'replay', { since }, headers)
    expect(answer.body).toEqual({ replayed: 3 })
    await arrived(path, 6)
    expect((await operate(id, 'replay', { since }, headers)).body).toEqual({ replayed: 3 })
    expectError(await operate(id, 'replay', { since, cursor: 'AAAA' }), 400, {
      message: 'the cursor does not belong to this list',
    })
    await noted(id, 6)
    expect(arrivedAt(path)).toHaveLength(6)
    await expectExample(answer)
  })

  test('of an event that is not there is a 404', async () => {
    const { id } = await registerWebhook()
    expectError(await operate(id, 'replay', { eventId: UNKNOWN }), 404, {
      message: 'there is no such event of this endpoint',
    })
  })

  test.each<[object, string[]]>([
    [{}, ['']],
    [{ since: '2026-01-01T00:00:00Z', eventId: 'x' }, ['']],
    [{ eventId: 'x', cursor: 'AAAA' }, ['']],
    [{ cursor: 'AAAA' }, ['', '']],
    [{ eventId: 'x', state: 'held' }, ['']],
    [{ since: '2026-01-01T00:00:00Z', state: 'pending' }, ['state']],
    [{ since: 'yesterday' }, ['since']],
    [{ since: 1 }, ['since']],
    [{ since: '2026-13-01T00:00:00Z' }, ['since']],
    [{ eventId: 'a b' }, ['eventId']],
    [{ since: '2026-01-01T00:00:00Z', cursor: 'a b' }, ['cursor']],
    [{ since: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:00Z' }, ['until']],
  ])('asked for with %j is a 422', async (body, fields) => {
    expectInvalid(await operate(UNKNOWN, 'replay', body), fields)
  })
})

test('replays since a day are a 422 that says what a time is', async () => {
  const { details } = (await operate(UNKNOWN, 'replay', { since: '2026-01-01' })).body
  expect(details).toEqual([{ path: 'since', message: 'must be a time of RFC 3339, as 2026-11-20T19:37:00Z' }])
})

describe('deleting', () => {
  test('ends an endpoint: it is listed no more, and gets nothing', async () => {
    const { id, path } = await registerWebhook()
    const [listed] = (await list()).body
    const answer = await api.delete(pathOf(id), { token })
    expect(answer).toMatchObject({ status: 200, body: listed })
    expect((await list()).body).toEqual([])
    expectError(await api.delete(pathOf(id), { token }), 404, NOT_THERE)
    expectError(await operate(id, 'test'), 404, NOT_THERE)
    expect(arrivedAt(path)).toEqual([])
    await expectExample({ ...answer, asked: undefined })
  })
})

describe('a pending registration', () => {
  test.each([
    ['rotate-secret', undefined],
    ['test', undefined],
    ['enable', undefined],
    ['replay', { eventId: UNKNOWN }],
  ])('is nothing to %s: 409', async (operation, body) => {
    const { body: pending } = await registerNotification()
    expectError(await operate(pending.data.id, operation, body), 409, IS_PENDING)
  })

  test('has no deliveries', async () => {
    const { body: pending } = await registerNotification()
    expect(await deliveries(pending.data.id)).toMatchObject({ status: 200, body: [] })
  })
})

describe.each(OF_AN_ENDPOINT)('%s of an endpoint: %s', (method, operation, body) => {
  test("of another organization is a 404 in one's own, and nothing happens to it", async () => {
    const { id } = await registerWebhook()
    const before = (await list()).body
    const other = `org-${randomUUID()}`
    const as = await tokenIn(other, ['owner'])
    expectError(await api.ask(method, pathOf(id, operation, other), { token: as, body }), 404, NOT_THERE)
    expect((await list()).body).toEqual(before)
  })
})

test('a secret is in the answer that makes it, and in no other', async () => {
  const endpoint = await registerWebhook()
  const rotated = await operate(endpoint.id, 'rotate-secret')
  const { eventId } = (await operate(endpoint.id, 'test')).body
  await noted(endpoint.id, 1)
  const answers = [
    await list(),
    await operate(endpoint.id, 'enable'),
    await deliveries(endpoint.id),
    await operate(endpoint.id, 'replay', { eventId }),
    await registerNotification(),
    await api.delete(pathOf(endpoint.id), { token }),
  ]
  for (const { status, text } of answers) {
    expect(status).toBeLessThan(300)
    for (const secret of [endpoint.secret, rotated.body.secret]) expect(text).not.toContain(secret.slice(6, -1))
  }
})
