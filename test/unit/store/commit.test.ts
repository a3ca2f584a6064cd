/** One request for a commit: what is rejected before it, what DynamoDB rejects, and the error of each. */

import { type CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { keyAddress } from '../../../lib/keys/key-item.ts'
import { nextVersion } from '../../../lib/store/commit.ts'
import { itemBytes } from '../../../lib/store/item.ts'
import { recordAddress } from '../../../lib/store/keys.ts'
import { addressOfRecord } from '../../../lib/store/stored-record.ts'
import { addressOf, epochSeconds, type Item, toKey } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import type { UnitOfWork } from '../../../lib/store/unit-of-work.ts'
import { updateIf } from '../../../lib/store/write.ts'
import { ACME, newRecord } from './records.ts'
import { failure } from './started-table.ts'
import { useTable } from './use-table.ts'

const KB = 1024

const table = await useTable()
let made = 0

beforeEach(() => {
  table.watch()
  // No pause before a try of the SDK or a repetition of the operation.
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  table.way = undefined
  vi.restoreAllMocks()
})

/** A new item of a key, of a size if it matters. */
const newItem = (bytes = 0): Item => {
  made += 1
  const item = { ...toKey(keyAddress(ACME, `k${made}`)), kind: { S: 'key' }, sealed: { S: '' } }
  return { ...item, sealed: { S: 'x'.repeat(Math.max(0, bytes - itemBytes(item))) } }
}
const isStored = async ({ pk, sk }: Item): Promise<boolean> =>
  (await table.get({ pk: pk?.S ?? '', sk: sk?.S ?? '' })) !== undefined

/** Commits what `write` writes, in a transaction with an item that shows whether anything was written. */
const commit = async (write: (unit: UnitOfWork) => void) => {
  const [witness, other] = [newItem(), newItem()]
  let error: unknown
  await transaction(ACME, async (unit) => {
    unit.create(witness)
    unit.create(other)
    write(unit)
  }).catch((thrown: unknown) => {
    error = thrown
  })
  return { error, written: await isStored(witness) }
}
const cancelled = (...CancellationReasons: CancellationReason[]) =>
  new TransactionCanceledException({ message: 'injected', $metadata: {}, CancellationReasons })

/** The transaction fails `times` times, then goes through. */
const refuse = (error: Error, times = Number.POSITIVE_INFINITY) => {
  let left = times
  table.way = async (command, send) => {
    if (command !== 'TransactWriteItems' || left-- <= 0) return send()
    throw error
  }
}

describe('a creation', () => {
  test('should be rejected with its own error if it exists, and nothing else be written', async () => {
    const item = newItem()
    await transaction(ACME, async (unit) => unit.create(item))
    const { error, written } = await commit((unit) => unit.create(item, () => new RangeError('there is one')))
    expect(error).toEqual(new RangeError('there is one'))
    expect(written).toBe(false)
  })

  test('should be rejected with its own error if the unit itself has created it', async () => {
    const item = newItem()
    const { error, written } = await commit((unit) => {
      unit.create(item)
      unit.create(item, () => new RangeError('there is one'))
    })
    expect(error).toEqual(new RangeError('there is one'))
    expect(written).toBe(false)
  })

  test('should take the place of an item that has expired, and of no other', async () => {
    const [expired, live] = [newItem(), newItem()]
    await table.put({ ...expired, expiresAt: { N: String(epochSeconds() - 1) } })
    await table.put({ ...live, expiresAt: { N: String(epochSeconds() + 60) } })
    expect(await commit((unit) => unit.create(expired))).toEqual({ error: undefined, written: true })
    expect(await commit((unit) => unit.create(live))).toMatchObject({
      error: { code: 'store.conflict' },
      written: false,
    })
  })
})

describe('a replacement and a deletion', () => {
  test('should hold only for the version that was read', async () => {
    const item: Item = { ...newItem(), version: { N: '2' } }
    const address = addressOf(item)
    await table.put(item)
    const stale = { error: { code: 'store.conflict' }, written: false }
    expect(await commit((unit) => unit.replace({ ...item, version: { N: '2' } }, 1))).toMatchObject(stale)
    expect(await commit((unit) => unit.delete(address, 1))).toMatchObject(stale)
    expect(await commit((unit) => unit.replace({ ...item, version: { N: '3' } }, 2))).toMatchObject({ written: true })
    expect(await commit((unit) => unit.delete(address, 3))).toMatchObject({ written: true })
    expect(await isStored(item)).toBe(false)
    expect(await commit((unit) => unit.delete(address, 3))).toMatchObject(stale)
    expect(await commit((unit) => unit.delete(address))).toMatchObject({ written: true })
  })
})

describe('a replacement of what has no version', () => {
  test('should hold only for the attributes that were read, whatever they are called', async () => {
    const item = { ...newItem(), state: { S: 'pending' }, attempts: { N: '1' } }
    await table.put(item)
    const replace = (read: Item) => commit((unit) => unit.replace({ ...item, state: { S: 'done' } }, read))
    for (const stale of [
      { state: { S: 'held' } },
      { state: { S: 'pending' }, attempts: { N: '2' } },
      { gone: { S: 'x' } },
    ])
      expect(await replace(stale)).toMatchObject({ error: { code: 'store.conflict' }, written: false })
    expect(await replace({ state: { S: 'pending' }, attempts: { N: '1' } })).toMatchObject({ written: true })
    expect(await replace({ state: { S: 'pending' } })).toMatchObject({ error: { code: 'store.conflict' } })
  })
})

describe('the limits of a transaction', () => {
  const expectRefusal = async (code: string, write: (unit: UnitOfWork) => void) => {
    const { error, written } = await commit(write)
    expect(error).toMatchObject({ code })
    expect(table.requests).not.toContain('TransactWriteItems')
    expect(written).toBe(false)
  }
  test('should reject a record of more than 400 KB, in characters of several bytes too', async () => {
    for (const content of ['x'.repeat(400 * KB), 'ü'.repeat(200 * KB), '\u{1f600}'.repeat(100 * KB)]) {
      const record = newRecord({ type: 'DidCommMessageRecord', tags: { associatedRecordId: 'p1' }, value: { content } })
      await expectRefusal('store.item_too_large', (unit) => unit.insert(record))
      expect(await table.get(addressOfRecord({ ...record, version: 1 }))).toBeUndefined()
    }
  })

  test('should reject a record of more than 400 KB that would be small when packed', async () => {
    const record = newRecord({ type: 'BasicMessageRecord', tags: { connectionId: 'c1' } })
    const room = 400 * KB - Buffer.byteLength(JSON.stringify([{ ...record.value, content: '' }, record.tags]))
    const sized = (bytes: number) => ({ ...record, value: { ...record.value, content: 'x'.repeat(bytes) } })
    await expectRefusal('store.item_too_large', (unit) => unit.insert(sized(room + 1)))
    expect(await commit((unit) => unit.insert(sized(room)))).toEqual({ error: undefined, written: true })
  })
})

describe('a refusal of the table', () => {
  test.each(['ThrottlingError', 'ProvisionedThroughputExceeded'])('by %s should be store.unavailable', async (Code) => {
    refuse(cancelled({ Code: 'None' }, { Code }))
    const { error, written } = await commit(() => {})
    expect(error).toMatchObject({ code: 'store.unavailable', cause: expect.any(TransactionCanceledException) })
    expect(written).toBe(false)
  })

  test('again and again should be store.unavailable', async () => {
    refuse(failure('InternalServerError'))
    expect(await commit(() => {})).toMatchObject({ error: { code: 'store.unavailable' }, written: false })
  })

  test('should not be noticed where the SDK gets through at its third try', async () => {
    refuse(failure('InternalServerError', { $fault: 'server', $metadata: { httpStatusCode: 500 } }), 2)
    expect(await commit(() => {})).toEqual({ error: undefined, written: true })
    expect(table.requests.filter((name) => name === 'TransactWriteItems')).toHaveLength(1)
  })

  test('because of a conflict of transactions should run the operation again', async () => {
    const error = cancelled({ Code: 'TransactionConflict' })
    refuse(error, 1)
    expect(await commit(() => {})).toEqual({ error: undefined, written: true })
    refuse(error)
    expect(await commit(() => {})).toMatchObject({ error: { code: 'store.conflict', cause: error }, written: false })
  })

  test('should be the broken expectation rather than the conflict beside it', async () => {
    refuse(cancelled({ Code: 'TransactionConflict' }, { Code: 'ThrottlingError' }, { Code: 'ConditionalCheckFailed' }))
    const { error } = await commit((unit) => unit.create(newItem(), () => new RangeError('there is one')))
    expect(error).toEqual(new RangeError('there is one'))
  })

  test('should stay unchanged if it is our error', async () => {
    const ours = failure('ValidationException', { $fault: 'client' })
    refuse(ours)
    expect((await commit(() => {})).error).toBe(ours)
    const unknown = cancelled({ Code: 'ValidationError' })
    refuse(unknown)
    expect((await commit(() => {})).error).toBe(unknown)
  })
})

describe('a lost response', () => {
  const lose = (times: number) => {
    let left = times
    table.way = async (command, send) => {
      await send()
      if (command === 'TransactWriteItems' && left-- > 0) throw failure('TimeoutError')
    }
  }

  test('should not make the transaction fail on its own earlier success', async () => {
    const record = newRecord({ tags: { did: 'did:lost' } })
    lose(2)
    expect(await commit((unit) => unit.insert(record))).toEqual({ error: undefined, written: true })
    lose(1)
    await transaction(ACME, (unit) => unit.update({ ...record, tags: { did: 'did:found' } }))
    expect((await table.get(recordAddress(ACME, record.type, record.id)))?.version).toEqual({ N: '2' })
  })

  test('again and again should be store.unavailable, with all of it written or nothing', async () => {
    lose(3)
    expect(await commit(() => {})).toMatchObject({ error: { code: 'store.unavailable' }, written: true })
  })

  test('of a transaction that is still in progress should not run the operation again, which would double it', async () => {
    let tries = 0
    table.way = async (command, send) => {
      if (command !== 'TransactWriteItems') return send()
      if (tries++ > 0) throw failure('TransactionInProgressException', { $fault: 'client' })
      await send()
      throw failure('TimeoutError')
    }
    let runs = 0
    expect(await commit(() => void runs++)).toMatchObject({ error: { code: 'store.unavailable' }, written: true })
    expect([runs, tries]).toEqual([1, 3])
  })
})

describe('a commit of one item', () => {
  const version = (number: number): Item => ({ version: { N: String(number) } })
  const lease = (id: string): Item => ({ lease: { S: id } })
  type WriteIt = (unit: UnitOfWork, item: Item) => void
  /** What a unit may do to an item, and what was stored before; `item` is as it should be then. */
  const PUTS: [string, { before?: Item; after: Item; write: WriteIt }][] = [
    ['a creation', { after: version(1), write: (unit, item) => unit.create(item) }],
    [
      'a replacement of a version',
      { before: version(1), after: version(2), write: (unit, item) => unit.replace(item, 1) },
    ],
    [
      'a replacement of attributes',
      { before: lease('mine'), after: {}, write: (unit, item) => unit.replace(item, lease('mine')) },
    ],
    [
      'a replacement of one of the attributes that were read',
      {
        before: { ...version(1), ...lease('mine') },
        after: version(1),
        write: (unit, item) => unit.replace(item, { ...version(1), ...lease('mine') }),
      },
    ],
  ]
  const run = (write: (unit: UnitOfWork) => void) =>
    transaction(ACME, async (unit) => write(unit), 0).then(
      () => undefined,
      (error: unknown) => error,
    )
  const scene = async ({ before, after }: { before?: Item; after: Item }) => {
    const item = newItem()
    if (before !== undefined) await table.put({ ...item, ...before })
    table.watch()
    return { ...item, ...after }
  }
  /** The first put works, its response is lost, and `meanwhile` happens before the SDK sends it again. */
  const loseFirst = (meanwhile: () => Promise<void> = async () => {}) => {
    let first = true
    table.way = async (_command, send) => {
      await send()
      if (!first) return
      first = false
      await meanwhile()
      throw failure('TimeoutError')
    }
  }
  const stored = async (item: Item) => {
    const { writeId, ...rest } = (await table.get(addressOf(item))) ?? {}
    return { writeId, rest }
  }

  test.each(PUTS)('that is %s is one conditional write', async (_name, { write, ...states }) => {
    const item = await scene(states)
    expect(await run((unit) => write(unit, item))).toBeUndefined()
    expect(table.requests).toEqual(['PutItem'])
    expect((await stored(item)).rest).toEqual(item)
    expect(await run((unit) => write(unit, item))).toMatchObject({ code: 'store.conflict' })
  })

  test.each(PUTS)('that is %s knows its own write where the response is lost', async (_name, { write, ...states }) => {
    const item = await scene(states)
    loseFirst()
    expect(await run((unit) => write(unit, item))).toBeUndefined()
    expect((await stored(item)).rest).toEqual(item)
  })

  test.each(PUTS)('that is %s knows it also where another has changed an attribute', async (_name, put) => {
    const item = await scene(put)
    loseFirst(async () => {
      await updateIf(addressOf(item), { set: { seen: { BOOL: true } } })
    })
    expect(await run((unit) => put.write(unit, item))).toBeUndefined()
    expect((await stored(item)).rest).toEqual({ ...item, seen: { BOOL: true } })
  })

  test.each(PUTS)('that is %s is of unknown effect where another has replaced the item', async (_name, put) => {
    const item = await scene(put)
    const other = { ...item, version: { N: '9' } }
    loseFirst(() => table.put(other))
    expect(await run((unit) => put.write(unit, item))).toMatchObject({ code: 'store.unavailable' })
    expect((await stored(item)).rest).toEqual(other)
  })

  test.each(PUTS)('that is %s conflicts with a transaction, and has no effect', async (_name, { write, ...states }) => {
    const item = await scene(states)
    table.way = () => Promise.reject(failure('TransactionConflictException'))
    expect(await run((unit) => write(unit, item))).toMatchObject({ code: 'store.conflict' })
    table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
    expect(await run((unit) => write(unit, item))).toMatchObject({ code: 'store.unavailable' })
    expect((await stored(item)).writeId).toBeUndefined()
  })

  test('that is there already has the error that its creation asked for', async () => {
    const item = newItem()
    await table.put(item)
    expect(await run((unit) => unit.create(item, () => new RangeError('there is one')))).toEqual(
      new RangeError('there is one'),
    )
  })

  test('that would be applied twice or leaves nothing to recognize stays a transaction', async () => {
    const item: Item = { ...newItem(), ...version(1), ...lease('mine') }
    await table.put(item)
    table.watch()
    const writes: ((unit: UnitOfWork) => void)[] = [
      (unit) => unit.replace({ ...item, ...version(2) }, lease('mine')),
      (unit) => unit.change(addressOf(item), { add: { count: 1 } }),
      (unit) => unit.delete(addressOf(item), 2),
      (unit) => unit.delete(addressOf(item)),
    ]
    for (const write of writes) expect(await run(write)).toBeUndefined()
    expect(table.requests).toEqual(writes.map(() => 'TransactWriteItems'))
  })

  test('whose id does not fit into the item any more stays a transaction', async () => {
    const [full, larger] = [newItem(400 * KB), newItem(400 * KB + 1)]
    expect(await run((unit) => unit.create(full))).toBeUndefined()
    expect(table.requests).toEqual(['TransactWriteItems'])
    expect(await run((unit) => unit.create(larger))).toMatchObject({ code: 'store.item_too_large' })
  })
})

test('a connection expires a week after an unfinished handshake of another agent, and never once it was completed', () => {
  const of = (state: string) => {
    const value = { role: 'responder', state, createdAt: '2026-01-01T00:00:00.000Z' }
    return { ...newRecord({ type: 'ConnectionRecord' }), value }
  }
  const week = Date.UTC(2026, 0, 8) / 1000
  const begun = nextVersion(of('response-sent'), { stored: undefined, current: undefined })
  expect(begun).toMatchObject({ version: 1, expiresAt: week })
  const delivery = { state: 'pending', attempts: 1, at: '2026-01-01T00:00:00.000Z' } as const
  const next = (state: string) => nextVersion(of(state), { stored: begun, current: { ...begun, delivery } })
  expect(next('abandoned')).toMatchObject({ version: 2, expiresAt: week, delivery })
  expect(next('completed')).not.toHaveProperty('expiresAt')
})
