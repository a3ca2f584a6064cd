/**
 * Operations that change something: one transaction each; the same request with the same key has one effect and one
 * response, for callers with the permission.
 */
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { actingAgent } from '../../../lib/auth/access.ts'
import type { Principal } from '../../../lib/auth/principal.ts'
import { AgentError } from '../../../lib/errors.ts'
import { command } from '../../../lib/http/command.ts'
import { OperationResponse } from '../../../lib/http/request.ts'
import { defineContract } from '../../../lib/interface/contract.ts'
import { idempotencyAddress } from '../../../lib/store/keys.ts'
import { sealedResponses } from '../../../lib/store/sealed-responses.ts'
import { epochSeconds } from '../../../lib/store/table.ts'
import { newRecord } from '../store/records.ts'
import { failure } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'
import { authorizerOf, call } from './gateway-event.ts'

const ROOT: Principal = { role: 'RestRootAgent', organizations: {}, subject: 'root', expiresAt: 9_999_999_999 }
const tenantToken = (tenantId: string): Principal => ({ ...ROOT, role: 'RestTenantAgent', tenantId })

const Anything = v.looseObject({})
const contractOf = (operationId: string) =>
  defineContract(() => ({
    operationId,
    method: 'POST',
    path: '/things/{id}',
    summary: 'Make a thing',
    security: 'token',
    writes: true,
    idempotent: true,
    parameters: { path: v.object({ id: v.string() }), query: v.looseObject({}) },
    body: Anything,
    responses: { 200: Anything },
  }))

const table = await useTable({ memory: true })
let keys = 0
let key: string
/** How often a handler has run to its end. */
let runs: number

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
  id?: string
  query?: Record<string, string>
  body?: object
  key?: string | undefined
}

/** The response of an operation to a request with the key, or another one or none. */
const ask = (
  handler: Parameters<typeof call>[0],
  { principal = ROOT, id = '1', query = {}, body = {}, ...more }: Sent = {},
) => {
  const sentKey = 'key' in more ? more.key : key
  const headers = {
    'content-type': 'application/json',
    ...(sentKey !== undefined && { 'Idempotency-Key': sentKey }),
  }
  return call(handler, { authorizer: authorizerOf(principal), path: { id }, query, headers, body })
}

interface Means {
  /** Before the handler has written all that it writes. */
  before?: () => Promise<void>
  /** Who may: everybody, unless said. */
  authorize?: () => void
}

/**
 * Sends a request to an operation that writes a record of its agent and returns its id. Rejects with the body of an
 * error.
 */
const send = async ({ operationId = 'MakeThing', ...request }: Sent = {}, { before, authorize }: Means = {}) => {
  const handler = command(contractOf(operationId), {
    authorize: (asked) => {
      authorize?.()
      return actingAgent(asked.principal)
    },
    handle: async ({ body: asked, unit }) => {
      const record = newRecord({ tenant: unit.tenant, type: 'StorageVersionRecord' })
      unit.insert(record)
      await before?.()
      runs += 1
      return { id: record.id, body: asked }
    },
  })
  const answer = await ask(handler, { body: { content: 'hi' }, ...request })
  if (answer.statusCode !== 200) throw answer.body
  return answer.body
}

const MISMATCH = { statusCode: 409, message: 'this Idempotency-Key was used with another request' }
const UNAVAILABLE = { statusCode: 503 }

const effects = async (tenant = '@base') => (await table.items(`${tenant}|StorageVersionRecord|`)).length
const effectsOf = async (act: () => Promise<unknown>, tenant?: string) => {
  const before = await effects(tenant)
  await act()
  return (await effects(tenant)) - before
}

describe('the same key with the same request', () => {
  test('should get the same response, and have one effect', async () => {
    const answers: unknown[] = []
    const made = await effectsOf(async () => {
      for (let time = 0; time < 3; time++) answers.push(await send())
    })
    expect(made).toBe(1)
    expect(runs).toBe(1)
    expect(answers).toEqual([answers[0], answers[0], answers[0]])
    expect(answers[0]).toEqual({ id: expect.any(String), body: { content: 'hi' } })
  })

  test('should get the same response, and have one effect, for five concurrent requests', async () => {
    vi.mocked(Math.random).mockRestore()
    let answers: unknown[] = []
    const made = await effectsOf(async () => {
      answers = await Promise.all([1, 2, 3, 4, 5].map(() => send()))
    })
    expect(made).toBe(1)
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  })

  test('should get the first response if it fails because of what the first request has changed', async () => {
    let first: unknown
    const made = await effectsOf(async () => {
      const before = async () => {
        first = await send()
        throw new AgentError('resource.not_found', 'there is no such record')
      }
      expect(await send({}, { before })).toEqual(first)
    })
    expect(made).toBe(1)
    expect(runs).toBe(1)
  })

  test('should get its own error if no response is stored yet', async () => {
    const before = () => Promise.reject(new AgentError('resource.not_found', 'there is no such record'))
    await expect(send({}, { before })).rejects.toMatchObject({ statusCode: 404 })
    expect(await send()).toMatchObject({ body: { content: 'hi' } })
  })

  test('should get its own error if DynamoDB is unavailable for the stored response', async () => {
    const before = async () => {
      table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
      throw new AgentError('resource.not_found', 'there is no such record')
    }
    await expect(send({}, { before })).rejects.toMatchObject({ statusCode: 404 })
  })

  test('should get its response if the first one was written and its response lost', async () => {
    const made = await effectsOf(async () => {
      table.way = async (command, pass) => {
        await pass()
        if (command === 'TransactWriteItems') throw failure('TimeoutError')
      }
      await expect(send()).rejects.toMatchObject(UNAVAILABLE)
      table.way = undefined
      expect(await send()).toEqual({ id: expect.any(String), body: { content: 'hi' } })
    })
    expect(made).toBe(1)
    expect(runs).toBe(1)
  })

  test('should be written with what the handler writes, in one transaction', async () => {
    table.watch()
    await send()
    expect(table.requests).toEqual(['GetItem', 'TransactWriteItems'])
    expect(table.writes).toEqual([2])
  })
})

describe('the same key with another request', () => {
  test.each<[string, Sent]>([
    ['body', { body: { content: 'ho' } }],
    ['path', { id: '2' }],
    ['query', { query: { dry: 'true' } }],
    ['operation', { operationId: 'MakeAnother' }],
  ])('should be a 409 where the %s is another', async (_name, other) => {
    await send()
    const made = await effectsOf(() => expect(send(other)).rejects.toMatchObject(MISMATCH))
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

  test('should be rejected when concurrent with the first, and one of the two have its effect', async () => {
    const made = await effectsOf(async () => {
      const both = await Promise.allSettled([send({ body: { content: 'a' } }), send({ body: { content: 'b' } })])
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: MISMATCH })
    })
    expect(made).toBe(1)
  })
})

describe('a key', () => {
  test.each(['', ' ', 'a b', 'a\tb', 'ä', '\u0000', 'x'.repeat(256)])(
    'should be refused where it is not 1 to 255 visible characters: %j',
    async (bad) => {
      const made = await effectsOf(async () => {
        await expect(send({ key: bad })).rejects.toMatchObject({ statusCode: 400 })
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

  test('should be unused where the handler has failed', async () => {
    const before = () => Promise.reject(new AgentError('connection.not_ready', 'not yet'))
    await expect(send({}, { before })).rejects.toMatchObject({ statusCode: 409, message: 'not yet' })
    expect(await table.get(idempotencyAddress('@base', 'root', key))).toBeUndefined()
    const made = await effectsOf(() => send({ body: { content: 'another' } }))
    expect(made).toBe(1)
  })

  test('should be unused where the table could not be read, and the handler not have run', async () => {
    table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
    await expect(send()).rejects.toMatchObject(UNAVAILABLE)
    table.way = undefined
    expect(runs).toBe(0)
    expect(await effectsOf(() => send())).toBe(1)
  })

  test('should be kept for a day, and be free again after it', async () => {
    const first = await send()
    const item = await table.get(idempotencyAddress('@base', 'root', key))
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

test('a handler should run again after a conflict, and its last run be the response', async () => {
  let clashed = false
  const before = async () => {
    if (clashed) return
    clashed = true
    // Another one of the same key gets through first.
    await send()
  }
  const answer = await send({}, { before })
  expect(runs).toBe(2)
  expect(await send()).toEqual(answer)
  expect(runs).toBe(2)
})

test('a handler that changes its input should leave the request of the key as it was sent, also where it runs again', async () => {
  let conflicts = 1
  const handler = command(contractOf('MakeThing'), async ({ body }) => {
    // As a message in an invitation is changed into what libraries can read.
    Object.assign(body, { content: 'changed' })
    if (conflicts-- > 0) throw new AgentError('store.conflict', 'another was quicker')
    return {}
  })
  for (let time = 0; time < 2; time++)
    expect(await ask(handler, { body: { content: 'hi' } })).toMatchObject({ statusCode: 200 })
})

test('a response that does not match its contract should be a 500, and nothing be written', async () => {
  const responses = { 200: v.object({ id: v.string() }) }
  const handler = command({ ...contractOf('MakeThing'), responses }, async ({ unit }) => {
    unit.insert(newRecord({ tenant: unit.tenant, type: 'StorageVersionRecord' }))
    return {}
  })
  expect(await effectsOf(() => ask(handler))).toBe(0)
  expect(await ask(handler)).toMatchObject({ statusCode: 500 })
})

describe('a stored response', () => {
  const authorize = () => {
    throw new AgentError('auth.forbidden', 'Forbidden')
  }

  test('should be rejected for a caller without the permission any more, before it is read', async () => {
    const first = await send()
    table.watch()
    await expect(send({}, { authorize })).rejects.toEqual({ statusCode: 403, error: 'Forbidden' })
    await expect(send({ body: { content: 'ho' } }, { authorize })).rejects.toMatchObject({ statusCode: 403 })
    expect(table.requests).toEqual([])
    expect(await send()).toEqual(first)
  })

  test('should not be of a rejected request', async () => {
    await expect(send({}, { authorize })).rejects.toMatchObject({ statusCode: 403 })
    expect(await effectsOf(() => send())).toBe(1)
  })

  test("should be its caller's own: the same key of another one of the same agent is another", async () => {
    const alice = { ...tenantToken('acme'), subject: 'alice' }
    const bob = { ...tenantToken('acme'), subject: 'bob' }
    const first = await send({ principal: alice })
    const second = await send({ principal: bob, body: { content: 'ho' } })
    expect(runs).toBe(2)
    expect(await send({ principal: alice })).toEqual(first)
    expect(await send({ principal: bob, body: { content: 'ho' } })).toEqual(second)
  })
})

describe('a response with a secret', () => {
  const secret = 'whsec_of-nobody-else'
  const Secret = defineContract(() => ({ ...contractOf('MakeSecret'), holdsSecret: true as const }))
  const handler = command(Secret, {
    handle: async () => ({ secret }),
    codec: sealedResponses,
  })
  const askIt = (principal = ROOT) => ask(handler, { principal })
  const stored = (agent: string) => table.get(idempotencyAddress(agent, 'root', key))

  test('should come again, and lie in the table sealed', async () => {
    const first = await askIt()
    expect(first.body).toEqual({ secret })
    expect(await askIt()).toMatchObject({ statusCode: 200, body: first.body })
    const item = await stored('@base')
    expect(Buffer.from(item?.sealed?.B ?? []).length).toBeGreaterThan(secret.length)
    for (const text of [secret, Buffer.from(secret).toString('base64').slice(0, 16)])
      expect(Buffer.from(item?.sealed?.B ?? []).includes(text)).toBe(false)
  })

  test('should be a 409 for the key of a response without one, and the other way round', async () => {
    await send()
    expect(await askIt()).toMatchObject({ statusCode: 409, body: MISMATCH })
    key = `${key}-sealed`
    await askIt()
    await expect(send()).rejects.toMatchObject(MISMATCH)
  })

  test('should open at its own address only', async () => {
    await askIt()
    const theirs = await stored('@base')
    await table.put({ ...theirs, pk: { S: idempotencyAddress('acme', 'root', key).pk } })
    expect(await askIt(tenantToken('acme'))).toMatchObject({ statusCode: 500 })
  })
})

test('a response that cannot be stored completely should be a 500, and change nothing', async () => {
  for (const given of [undefined, new OperationResponse({ id: '1' }, { link: '<x>' })]) {
    const handler = command(contractOf('MakeThing'), {
      handle: async ({ unit }) => {
        unit.insert(newRecord({ tenant: unit.tenant, type: 'StorageVersionRecord' }))
        return given
      },
    })
    const made = await effectsOf(async () => {
      expect((await ask(handler, { key: undefined })).statusCode).toBe(500)
    })
    expect(made).toBe(0)
  }
})

test('a repeated response without a body should have none', async () => {
  const contract = defineContract(() => ({ ...contractOf('RemoveThing'), responses: { 204: v.undefined() } }))
  const handler = command(contract, {
    handle: async ({ unit }) => {
      unit.insert(newRecord({ tenant: unit.tenant, type: 'StorageVersionRecord' }))
      return undefined
    },
  })
  const made = await effectsOf(async () => {
    for (let time = 0; time < 2; time++) {
      const { statusCode, headers, body } = await ask(handler)
      expect([statusCode, headers['content-type'], body]).toEqual([204, undefined, undefined])
    }
  })
  expect(made).toBe(1)
})

describe('what an operation prepares', () => {
  const prepared: number[] = []
  const prepare = vi.fn(async () => 7)
  let conflicts: number
  const make = command(contractOf('PrepareThing'), {
    prepare,
    handle: async ({ prepared: given }) => {
      prepared.push(given)
      if (conflicts-- > 0) throw new AgentError('store.conflict', 'another was quicker')
      return { given }
    },
  })
  const askIt = () => ask(make, { key: undefined })

  beforeEach(() => {
    prepared.length = 0
    prepare.mockClear()
    conflicts = 0
  })

  test('is prepared once, though the transaction runs again', async () => {
    conflicts = 2
    expect(await askIt()).toMatchObject({ statusCode: 200, body: { given: 7 } })
    expect(prepared).toEqual([7, 7, 7])
    expect(prepare).toHaveBeenCalledTimes(1)
  })

  test('is not prepared for a caller who may not', async () => {
    const refused = command(contractOf('RefuseThing'), {
      authorize: () => {
        throw new AgentError('auth.forbidden', 'Forbidden')
      },
      prepare,
      handle: async () => ({}),
    })
    expect((await ask(refused, { key: undefined })).statusCode).toBe(403)
    expect(prepare).not.toHaveBeenCalled()
  })
})
