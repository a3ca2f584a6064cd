/** An operation is one transaction: run again from the start when it met another, and never half done. */

import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { isAgentError } from '../../../lib/errors.ts'
import { keyAddress } from '../../../lib/keys/key-item.ts'
import { defineItem } from '../../../lib/store/item.ts'
import { text } from '../../../lib/store/item-fields.ts'
import type { NewRecord } from '../../../lib/store/stored-record.ts'
import { toKey } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import type { UnitOfWork } from '../../../lib/store/unit-of-work.ts'
import { removeIf } from '../../../lib/store/write.ts'
import { ACME, newRecord } from './records.ts'
import { failure } from './started-table.ts'
import { useTable } from './use-table.ts'

const table = await useTable()

afterEach(() => {
  table.way = undefined
  vi.restoreAllMocks()
})

const counter = async (): Promise<NewRecord> => {
  const record = newRecord({ tags: { did: 'did:0' }, value: { count: 0 } })
  await transaction(ACME, async (unit) => unit.insert(record))
  return record
}
const readCount = async ({ type, id }: NewRecord): Promise<number> =>
  Number((await transaction(ACME, (unit) => unit.read(ACME, type, id)))?.value.count)

/** Adds one to the counter of the unit's record, and changes its index entries with it. */
const increment =
  ({ type, id }: NewRecord) =>
  async (unit: UnitOfWork): Promise<number> => {
    const record = await unit.read(ACME, type, id)
    if (record === undefined) throw new Error('the counter is gone')
    const count = Number(record.value.count) + 1
    await unit.update({ ...record, tags: { did: `did:${count}` }, value: { ...record.value, count } })
    return count
  }

describe('two that write the same record', () => {
  test('should both have their effect, the loser after a second run that sees the first', async () => {
    const record = await counter()
    let runs = 0
    const result = await transaction(ACME, async (unit) => {
      runs += 1
      const count = await increment(record)(unit)
      if (runs === 1) await transaction(ACME, increment(record))
      return count
    })
    expect(result).toBe(2)
    expect(runs).toBe(2)
    expect(await readCount(record)).toBe(2)
  })

  test('should not delete what has changed since it was read, but look again', async () => {
    const record = await counter()
    const seen: unknown[] = []
    await transaction(ACME, async (unit) => {
      seen.push((await unit.read(ACME, record.type, record.id))?.value.count)
      if (seen.length === 1) await transaction(ACME, increment(record))
      await unit.remove(ACME, record.type, record.id)
    })
    expect(seen).toEqual([0, 1])
    expect(await readCount(record)).toBeNaN()
  })

  test('should lose none of 50 concurrent updates, and count no rejected one', async () => {
    const record = await counter()
    const untilDone = async (): Promise<void> => {
      try {
        await transaction(ACME, increment(record))
      } catch (error) {
        if (!isAgentError(error, 'store.conflict')) throw error
        await untilDone()
      }
    }
    await Promise.all(Array.from({ length: 50 }, untilDone))
    expect(await readCount(record)).toBe(50)
    const entries = await table.items(`${ACME}|ConnectionRecord|did|`)
    expect(entries.filter(({ sk }) => sk?.S?.endsWith(record.id))).toHaveLength(1)
    expect(await table.check()).toEqual([])
  })
})

describe('a conflict', () => {
  /** An operation whose record has always changed when it comes to commit. */
  const unlucky = (record: NewRecord, seen: unknown[]) => async (unit: UnitOfWork) => {
    seen.push([unit, await increment(record)(unit)])
    await transaction(ACME, increment(record))
  }

  test('should run the operation again three times, each with a fresh unit, and then be store.conflict', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const [record, seen] = [await counter(), [] as [UnitOfWork, number][]]
    await expect(transaction(ACME, unlucky(record, seen))).rejects.toMatchObject({ code: 'store.conflict' })
    expect(seen.map(([, count]) => count)).toEqual([1, 2, 3, 4])
    expect(new Set(seen.map(([unit]) => unit)).size).toBe(4)
    expect(await readCount(record)).toBe(4)
  })

  test('should leave to the repetitions what the operation is to have once', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const [record, key] = [await counter(), Symbol('key')]
    const made = { ofUnit: 0, ofOperation: 0 }
    const act = async (unit: UnitOfWork) => {
      unit.moduleState(key, () => ++made.ofUnit)
      unit.operationState(key, () => ++made.ofOperation)
      await unlucky(record, [])(unit)
    }
    await expect(transaction(ACME, act, 1)).rejects.toMatchObject({ code: 'store.conflict' })
    expect(made).toEqual({ ofUnit: 2, ofOperation: 1 })
  })

  test('should be thrown immediately if no retry is allowed', async () => {
    const [record, seen] = [await counter(), []]
    await expect(transaction(ACME, unlucky(record, seen), 0)).rejects.toMatchObject({ code: 'store.conflict' })
    expect(seen).toHaveLength(1)
  })

  test('should be followed by pauses whose random length doubles', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999)
    const [record, start] = [await counter(), performance.now()]
    const times: number[] = []
    const act = async (unit: UnitOfWork) => {
      times.push(performance.now() - start)
      await unlucky(record, [])(unit)
    }
    await expect(transaction(ACME, act)).rejects.toMatchObject({ code: 'store.conflict' })
    const [first = 0, second = 0, third = 0, fourth = 0] = times
    // Node's timers may be a millisecond early.
    expect(second - first).toBeGreaterThanOrEqual(23)
    expect(third - second).toBeGreaterThanOrEqual(48)
    expect(fourth - third).toBeGreaterThanOrEqual(98)
  })

  test('should be the only error that lets an operation run again', async () => {
    let runs = 0
    const failing = transaction(ACME, async () => {
      runs += 1
      throw new TypeError('not the store')
    })
    await expect(failing).rejects.toThrow(TypeError)
    expect(runs).toBe(1)
  })
})

describe('a read that fails', () => {
  const noteItem = defineItem(
    'note',
    ({ name }: { name: string }) => ({ pk: 'notes', sk: name }),
    { text: text() },
    'service',
  )
  const failReads = (command: string) => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    table.way = async (name, send) => {
      if (name === command) throw failure('InternalServerError', { $fault: 'server' })
      return send()
    }
  }
  const reads: [string, (unit: UnitOfWork) => Promise<unknown>][] = [
    ['GetItem', (unit) => unit.read(ACME, 'ConnectionRecord', 'c1')],
    ['Query', (unit) => unit.find(ACME, 'ConnectionRecord', { threadId: 't' })],
    ['BatchGetItem', (unit) => unit.find(ACME, 'ConnectionRecord', { threadId: 'many' })],
    ['GetItem', (unit) => unit.get(keyAddress(ACME, 'k1'))],
    ['BatchGetItem', (unit) => unit.getAll([keyAddress(ACME, 'k1'), keyAddress(ACME, 'k2')])],
    ['GetItem', (unit) => unit.load(noteItem, { name: 'n1' })],
    ['Query', (unit) => unit.query('notes', { limit: 1 })],
    ['Query', (unit) => unit.queryAll('notes')],
  ]
  beforeAll(() =>
    transaction(ACME, async (unit) => {
      for (let count = 0; count < 2; count++) unit.insert(newRecord({ tags: { threadId: 'many' } }))
    }),
  )

  test.each(reads)(
    'with %s should let nothing be written, although the operation has swallowed it',
    async (command, read) => {
      failReads(command)
      const item = { ...toKey(keyAddress(ACME, command)), kind: { S: 'key' } }
      const careless = transaction(ACME, async (unit) => {
        unit.create(item)
        await read(unit).catch(() => {})
        return 'all is well'
      })
      await expect(careless).rejects.toMatchObject({ code: 'store.unavailable' })
      expect(await table.get(keyAddress(ACME, command))).toBeUndefined()
    },
  )

  test.each(reads)('with %s should win over what the operation has made of it', async (command, read) => {
    failReads(command)
    const protocol = transaction(ACME, async (unit) => {
      await read(unit).catch((cause: unknown) => {
        throw new Error('the message cannot be processed', { cause })
      })
    })
    await expect(protocol).rejects.toMatchObject({ code: 'store.unavailable' })
  })

  test('should be a corrupt item too, and that it is missing should not', async () => {
    const [broken, item] = [noteItem.addressOf({ name: 'broken' }), keyAddress(ACME, 'careless')]
    await table.put({ ...toKey(broken), kind: { S: 'note' }, text: { N: '1' } })
    const careless = (name: string) =>
      transaction(ACME, async (unit) => {
        unit.create({ ...toKey(item), kind: { S: 'key' } })
        return unit.load(noteItem, { name }).catch(() => 'all is well')
      })
    await expect(careless('broken')).rejects.toThrow('a stored note is corrupt at text')
    expect(await table.get(item)).toBeUndefined()
    expect(await careless('missing')).toBeUndefined()
    expect(await table.get(item)).toBeDefined()
    await removeIf(broken)
  })

  test('should be the first one where there are several', async () => {
    const refused = transaction(ACME, async (unit) => {
      for (const message of ['first', 'second'])
        await unit.runRead(() => Promise.reject(new Error(message))).catch(() => {})
      throw new Error('third')
    })
    await expect(refused).rejects.toThrow('first')
  })
})
