/** Idempotency keys: the same request has one effect and one answer, however often and however much at once it comes. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Principal } from '../../../lib/auth/principal.ts'
import { AgentError } from '../../../lib/errors.ts'
import { transactional } from '../../../lib/http/transactional.ts'
import { idempotencyAddress } from '../../../lib/store/address.ts'
import { epochSeconds } from '../../../lib/store/table.ts'
import { currentUnit } from '../../../lib/store/transaction.ts'
import { newRecord } from '../store/records.ts'
import { failure, type StartedTable, startTable } from '../store/started-table.ts'

const ROOT: Principal = { role: 'RestRootAgent', organizations: {}, subject: 'root', expiresAt: 0 }
const tenantToken = (tenantId: string): Principal => ({ ...ROOT, role: 'RestTenantAgent', tenantId })

let table: StartedTable
let keys = 0
let key: string
/** How often an act has run to its end. */
let runs: number

beforeAll(async () => {
  table = await startTable()
})
afterAll(async () => {
  expect(await table.check()).toEqual([])
  await table.stop()
})
beforeEach(() => {
  keys += 1
  key = `key-${keys}`
  runs = 0
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  table.way = undefined
  vi.restoreAllMocks()
})

interface Sent {
  operationId?: string
  principal?: Principal
  path?: object
  body?: object
  key?: string | undefined
}

/** Sends a request to an operation that writes a record of its tenant and answers its id. */
const send = async (request: Sent = {}, before: () => Promise<void> = async () => {}) => {
  const act = transactional(async ({ body }) => {
    const record = newRecord({ tenant: currentUnit().tenant, type: 'StorageVersionRecord' })
    currentUnit().insert(record)
    await before()
    runs += 1
    return { id: record.id, body }
  })
  const headers: Record<string, string | undefined> = { 'idempotency-key': 'key' in request ? request.key : key }
  const header = (name: string) => headers[name]
  return act({ operationId: 'SendMessage', principal: ROOT, path: {}, body: { content: 'hi' }, ...request, header })
}
const effects = async (tenant = '@base') => (await table.items(`${tenant}|StorageVersionRecord|`)).length
const effectsOf = async (act: () => Promise<unknown>, tenant?: string) => {
  const before = await effects(tenant)
  await act()
  return (await effects(tenant)) - before
}

describe('the same key with the same request', () => {
  test('should get the same answer, and have one effect', async () => {
    const answers: unknown[] = []
    const made = await effectsOf(async () => {
      for (let time = 0; time < 3; time++) answers.push(await send())
    })
    expect(made).toBe(1)
    expect(runs).toBe(1)
    expect(answers).toEqual([answers[0], answers[0], answers[0]])
    expect(answers[0]).toEqual({ id: expect.any(String), body: { content: 'hi' } })
  })

  test('should get the same answer, and have one effect, where five come at once', async () => {
    vi.mocked(Math.random).mockRestore()
    let answers: unknown[] = []
    const made = await effectsOf(async () => {
      answers = await Promise.all([1, 2, 3, 4, 5].map(() => send()))
    })
    expect(made).toBe(1)
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  })

  test('should get its answer where the first one was written and its answer lost', async () => {
    const made = await effectsOf(async () => {
      table.way = async (command, pass) => {
        await pass()
        if (command === 'TransactWriteItems') throw failure('TimeoutError')
      }
      await expect(send()).rejects.toMatchObject({ code: 'store.unavailable' })
      table.way = undefined
      expect(await send()).toEqual({ id: expect.any(String), body: { content: 'hi' } })
    })
    expect(made).toBe(1)
    expect(runs).toBe(1)
  })

  test('should be written with what the act writes, in one transaction', async () => {
    table.watch()
    await send()
    expect(table.requests).toEqual(['GetItem', 'TransactWriteItems'])
    expect(table.transactions).toEqual([2])
  })
})

describe('the same key with another request', () => {
  const original: Sent = { path: { connectionId: 'c1' }, body: { content: 'hi' } }

  test.each<[string, Sent]>([
    ['body', { ...original, body: { content: 'ho' } }],
    ['path', { ...original, path: { connectionId: 'c2' } }],
    ['operation', { ...original, operationId: 'CreateOffer' }],
  ])('should be idempotency.mismatch where the %s is another', async (_name, other) => {
    await send(original)
    const made = await effectsOf(() => expect(send(other)).rejects.toMatchObject({ code: 'idempotency.mismatch' }))
    expect(made).toBe(0)
    expect(runs).toBe(1)
  })

  test('should be none where it is of another tenant', async () => {
    const [acme, other] = [tenantToken('acme'), tenantToken('other')]
    const first = await send({ principal: acme })
    const second = await send({ principal: other, body: { content: 'ho' } })
    expect(runs).toBe(2)
    expect(await send({ principal: acme })).toEqual(first)
    expect(await send({ principal: other, body: { content: 'ho' } })).toEqual(second)
    expect(runs).toBe(2)
    expect([await effects('acme'), await effects('other')]).toEqual([1, 1])
  })

  test('should be refused at once with the first, and one of the two have its effect', async () => {
    const made = await effectsOf(async () => {
      const both = await Promise.allSettled([send({ body: { content: 'a' } }), send({ body: { content: 'b' } })])
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'idempotency.mismatch' },
      })
    })
    expect(made).toBe(1)
  })
})

describe('a key', () => {
  test.each(['', ' ', 'a b', 'a\tb', 'ä', '\u0000', 'x'.repeat(256)])(
    'should be refused where it is not 1 to 255 visible characters: %j',
    async (bad) => {
      const made = await effectsOf(async () => {
        await expect((async () => send({ key: bad }))()).rejects.toMatchObject({ code: 'request.malformed' })
      })
      expect(made).toBe(0)
    },
  )

  test('should be taken with any other characters', async () => {
    for (const good of ['!', '~', 'x'.repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'a|b#c@d'])
      expect(await send({ key: good })).toEqual(await send({ key: good }))
    expect(runs).toBe(5)
  })

  test('should not be needed: each request without one has its own effect', async () => {
    const made = await effectsOf(async () => {
      const [first, second] = [await send({ key: undefined }), await send({ key: undefined })]
      expect(first).not.toEqual(second)
    })
    expect(made).toBe(2)
  })

  test('should be unused where the act has failed', async () => {
    const refuse = () => Promise.reject(new AgentError('connection.not_ready', 'not yet'))
    await expect(send({}, refuse)).rejects.toMatchObject({ code: 'connection.not_ready' })
    expect(await table.get(idempotencyAddress('@base', key))).toBeUndefined()
    const made = await effectsOf(() => send({ body: { content: 'another' } }))
    expect(made).toBe(1)
  })

  test('should be unused where the table could not be read, and the act not have run', async () => {
    table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
    await expect(send()).rejects.toMatchObject({ code: 'store.unavailable' })
    table.way = undefined
    expect(runs).toBe(0)
    expect(await effectsOf(() => send())).toBe(1)
  })

  test('should be kept for a day, and be free again after it', async () => {
    const first = await send()
    const item = await table.get(idempotencyAddress('@base', key))
    const seconds = Number(item?.expiresAt?.N) - epochSeconds()
    expect(seconds).toBeGreaterThan(24 * 60 * 60 - 10)
    expect(seconds).toBeLessThanOrEqual(24 * 60 * 60)
    await table.put({ ...item, expiresAt: { N: String(epochSeconds() - 1) } })
    const again = await send({ body: { content: 'another' } })
    expect(again).not.toEqual(first)
    expect(await send({ body: { content: 'another' } })).toEqual(again)
    expect(runs).toBe(2)
  })

  test('should not be readable in the table', async () => {
    key = 'an order number that nobody should see'.replaceAll(' ', '-')
    await send()
    expect(JSON.stringify(await table.items('@base|idempotency|'))).not.toContain(key)
  })
})

test('an act should run again after a conflict, and its last run be the answer', async () => {
  let clashed = false
  const answer = await send({}, async () => {
    if (clashed) return
    clashed = true
    await send({ key: 'clash' })
    currentUnit().create({ pk: { S: `@base|key|${key}` }, sk: { S: '-' }, kind: { S: 'key' } })
    await table.put({ pk: { S: `@base|key|${key}` }, sk: { S: '-' }, kind: { S: 'key' } })
  })
  expect(runs).toBe(3)
  expect(await send()).toEqual(answer)
})

test('an act of a tenant token without a tenant should be refused before anything happens', async () => {
  table.watch()
  const refused = (async () => send({ principal: { ...ROOT, role: 'RestTenantAgent' } }))()
  await expect(refused).rejects.toMatchObject({ code: 'auth.forbidden' })
  expect(table.requests).toEqual([])
})
