/** Conditional writes against the embedded database: what holds is written, what does not changes nothing. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Condition, expressionsOf } from '../../../lib/store/conditions.ts'
import type { Address } from '../../../lib/store/keys.ts'
import { epochSeconds, type Item, queryDue, toKey } from '../../../lib/store/table.ts'
import { putIf, putIfAbsent, removeIf, transact, updateIf } from '../../../lib/store/write.ts'
import { failure } from './started-table.ts'
import { useTable } from './use-table.ts'

const table = await useTable({ check: false })
let made = 0

afterEach(() => {
  table.way = undefined
  vi.restoreAllMocks()
})

const newAddress = () => {
  made += 1
  return { pk: `lane|${made}`, sk: '~' }
}
/** A stored item with these attributes. `status` and `size` are words that DynamoDB reserves. */
const stored = async (attributes: Item = {}) => {
  const address = newAddress()
  await table.put({ ...toKey(address), status: { S: 'pending' }, size: { N: '5' }, ...attributes })
  return address
}

describe('putIfAbsent', () => {
  test('writes where there is nothing, and leaves what is there', async () => {
    const address = newAddress()
    expect(await putIfAbsent({ ...toKey(address), size: { N: '1' } })).toBe(true)
    expect(await putIfAbsent({ ...toKey(address), size: { N: '2' } })).toBe(false)
    expect((await table.get(address))?.size).toEqual({ N: '1' })
  })

  test('leaves an expired item, too', async () => {
    const address = await stored({ expiresAt: { N: String(epochSeconds() - 1) } })
    const item = { ...toKey(address), size: { N: '9' }, expiresAt: { N: String(epochSeconds() + 60) } }
    expect(await putIfAbsent(item)).toBe(false)
  })
})

describe('putIf', () => {
  test('replaces an item if the condition holds, and always without one', async () => {
    const address = await stored()
    expect(await putIf({ ...toKey(address), size: { N: '6' } }, { equals: { size: { N: '4' } } })).toBe(false)
    expect(await putIf({ ...toKey(address), size: { N: '6' } }, { equals: { size: { N: '5' } } })).toBe(true)
    expect(await putIf({ ...toKey(address), size: { N: '7' } })).toBe(true)
    expect(await table.get(address)).toEqual({ ...toKey(address), size: { N: '7' } })
  })
})

describe('updateIf', () => {
  test('sets, removes and adds, and returns the whole new item', async () => {
    const address = await stored({ error: { S: 'x' } })
    const change = { set: { status: { S: 'done' } }, remove: ['error', 'none'], add: { size: 2, attempts: 1 } }
    const expected = { ...toKey(address), status: { S: 'done' }, size: { N: '7' }, attempts: { N: '1' } }
    expect(await updateIf(address, change)).toEqual(expected)
    expect(await table.get(address)).toEqual(expected)
  })

  test('creates the item if there is none, unless the condition requires one', async () => {
    const address = newAddress()
    expect(await updateIf(address, { add: { size: 1 } }, { present: ['pk'] })).toBeUndefined()
    expect(await table.get(address)).toBeUndefined()
    expect(await updateIf(address, { add: { size: 1 } })).toEqual({ ...toKey(address), size: { N: '1' } })
    // What no field of a number would read.
    for (const size of [0.5, Number.NaN])
      await expect(updateIf(address, { add: { size } })).rejects.toThrow('a whole number')
  })

  test('returns an item that stays unchanged', async () => {
    const address = await stored()
    expect(await updateIf(address, { remove: ['none'] })).toMatchObject({ size: { N: '5' } })
  })
})

describe('removeIf', () => {
  test('deletes an item if the condition holds, and always without one', async () => {
    const address = await stored()
    expect(await removeIf(address, { absent: ['status'] })).toBe(false)
    expect(await table.get(address)).toBeDefined()
    expect(await removeIf(address, { present: ['status'] })).toBe(true)
    expect(await table.get(address)).toBeUndefined()
    expect(await removeIf(address)).toBe(true)
  })
})

describe('a condition', () => {
  test.each<[string, boolean, Condition]>([
    ['nothing', true, {}],
    ['what it equals', true, { equals: { status: { S: 'pending' }, size: { N: '5' } } }],
    ['another value', false, { equals: { status: { S: 'pending' }, size: { N: '6' } } }],
    ['an attribute that is not there', false, { equals: { none: { N: '6' } } }],
    ['an absent attribute', true, { absent: ['none'] }],
    ['an absent attribute that is there', false, { absent: ['none', 'status'] }],
    ['a present attribute', true, { present: ['status', 'size'] }],
    ['a present attribute that is not there', false, { present: ['status', 'none'] }],
    ['less than a number', true, { below: { size: { N: '6' } } }],
    ['less than the same number', false, { below: { size: { N: '5' } } }],
    ['less, of nothing', false, { below: { none: { N: '5' } } }],
    ['at most the same number', true, { atMost: { size: { N: '5' } } }],
    ['at most a smaller one', false, { atMost: { size: { N: '4' } } }],
    ['one of several', true, { anyOf: [{ absent: ['status'] }, { below: { size: { N: '6' } } }] }],
    ['none of several', false, { anyOf: [{ absent: ['status'] }, { below: { size: { N: '5' } } }] }],
    ['one of one', true, { present: ['pk'], anyOf: [{ present: ['size'] }] }],
    ['all parts', false, { absent: ['none'], anyOf: [{ present: ['none'] }], below: { size: { N: '6' } } }],
    [
      'parts within parts',
      true,
      {
        present: ['pk'],
        anyOf: [{ present: ['none'] }, { equals: { status: { S: 'pending' } }, anyOf: [{ absent: ['none'] }] }],
      },
    ],
  ])('of %s holds: %s', async (_name, holds, condition) => {
    const address = await stored()
    expect((await updateIf(address, { set: { seen: { BOOL: true } } }, condition)) !== undefined).toBe(holds)
    expect((await table.get(address))?.seen).toEqual(holds ? { BOOL: true } : undefined)
  })
})

test('a condition has no parentheses that DynamoDB would call redundant', () => {
  const anyOf: Condition[] = [
    { absent: ['a'], present: ['b'] },
    { anyOf: [{ absent: ['a'] }, { anyOf: [{ present: ['c'] }] }] },
  ]
  expect(expressionsOf({ present: ['d'], anyOf }).ConditionExpression).toBe(
    'attribute_exists(#0) AND ((attribute_not_exists(#1) AND attribute_exists(#2)) OR (attribute_not_exists(#1) OR attribute_exists(#3)))',
  )
  expect(expressionsOf({ anyOf: [{ anyOf: [{ absent: ['a'] }] }] }).ConditionExpression).toBe(
    'attribute_not_exists(#0)',
  )
})

describe('transact', () => {
  test('writes puts, updates and removals together', async () => {
    const [put, update, remove] = [newAddress(), await stored(), await stored()]
    expect(
      await transact([
        { put: { ...toKey(put), size: { N: '1' } }, condition: { absent: ['pk'] } },
        { update, change: { add: { size: 1 } }, condition: { equals: { size: { N: '5' } } } },
        { remove, condition: { present: ['pk'] } },
      ]),
    ).toEqual({ written: true })
    expect(await table.get(put)).toMatchObject({ size: { N: '1' } })
    expect(await table.get(update)).toMatchObject({ size: { N: '6' } })
    expect(await table.get(remove)).toBeUndefined()
  })

  test('writes up to 100 items of 400 KB and 4 MB in all, and asks for no more', async () => {
    const puts = (count: number, bytes: number) =>
      Array.from({ length: count }, () => ({ put: { ...toKey(newAddress()), filler: { S: 'x'.repeat(bytes) } } }))
    expect(await transact(puts(100, 1))).toEqual({ written: true })
    expect(await transact(puts(10, 400_000))).toEqual({ written: true })
    table.watch()
    await expect(transact(puts(101, 1))).rejects.toMatchObject({ code: 'store.transaction_too_large' })
    await expect(transact(puts(11, 400_000))).rejects.toMatchObject({ code: 'store.transaction_too_large' })
    await expect(transact(puts(1, 400 * 1024))).rejects.toMatchObject({ code: 'store.item_too_large' })
    expect(table.requests).toEqual([])
  })

  test('writes nothing where a condition does not hold, and says which ones', async () => {
    const [put, update, remove] = [newAddress(), await stored(), await stored()]
    const result = await transact([
      { put: { ...toKey(put), size: { N: '1' } } },
      { update, change: { add: { size: 1 } }, condition: { equals: { size: { N: '4' } } } },
      { remove, condition: { absent: ['pk'] } },
    ])
    expect(result).toMatchObject({ written: false, failed: [1, 2], conflict: false })
    expect(await table.get(put)).toBeUndefined()
    expect(await table.get(update)).toMatchObject({ size: { N: '5' } })
    expect(await table.get(remove)).toBeDefined()
  })

  describe('with changes that may be left out', () => {
    const change = { add: { size: 1 } }
    const optional = (update: Address) => ({ update, change, condition: { present: ['pk'] }, orSkip: true })

    test('writes all where all conditions hold, with one request', async () => {
      const [first, second] = [await stored(), await stored()]
      table.watch()
      expect(await transact([optional(first), { update: second, change }])).toEqual({ written: true })
      expect(table.requests).toEqual(['TransactWriteItems'])
      expect(await table.get(first)).toMatchObject({ size: { N: '6' } })
    })

    test('writes the rest together if an item was deleted, and does not recreate it', async () => {
      const [there, gone, other, removed] = [await stored(), newAddress(), newAddress(), await stored()]
      const remove = { remove: removed, condition: { present: ['pk'] } }
      expect(await transact([optional(gone), optional(there), optional(other), remove])).toEqual({ written: true })
      expect(await table.get(there)).toMatchObject({ size: { N: '6' } })
      for (const address of [gone, other, removed]) expect(await table.get(address)).toBeUndefined()
      expect(await transact([optional(gone)])).toEqual({ written: true })
      expect(await table.get(gone)).toBeUndefined()
    })

    test('writes nothing where another condition does not hold, and names only that one', async () => {
      const [there, gone] = [await stored(), newAddress()]
      const never = { update: there, change, condition: { absent: ['pk'] } }
      expect(await transact([optional(gone), optional(await stored()), never])).toMatchObject({
        ...{ written: false, failed: [2], conflict: false },
      })
      expect(await table.get(there)).toMatchObject({ size: { N: '5' } })
    })

    test('writes nothing where another item changes meanwhile, and names that one by its place', async () => {
      const [there, gone, removed] = [await stored(), newAddress(), await stored()]
      let requests = 0
      table.way = async (command, send) => {
        if (command === 'TransactWriteItems' && ++requests === 2) {
          table.way = undefined
          await removeIf(removed)
        }
        return send()
      }
      const remove = { remove: removed, condition: { present: ['pk'] } }
      expect(await transact([optional(gone), optional(there), remove])).toMatchObject({ written: false, failed: [2] })
      expect(await table.get(there)).toMatchObject({ size: { N: '5' } })
    })
  })

  test('makes no request of nothing', async () => {
    table.watch()
    expect(await transact([])).toEqual({ written: true })
    expect(table.requests).toEqual([])
  })

  test('tells a conflict from a condition, and throws for anything else', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const refuse = (error: Error) => {
      table.way = () => Promise.reject(error)
    }
    const cancelled = (...codes: string[]) =>
      new TransactionCanceledException({
        message: 'injected',
        $metadata: {},
        CancellationReasons: codes.map((Code) => ({ Code })),
      })
    const write = async () => transact([{ put: toKey(newAddress()) }])
    refuse(cancelled('None', 'TransactionConflict'))
    expect(await write()).toMatchObject({ written: false, failed: [], conflict: true })
    refuse(cancelled('TransactionConflict', 'ConditionalCheckFailed', 'ThrottlingError'))
    expect(await write()).toMatchObject({ written: false, failed: [1], conflict: true })
    refuse(failure('TransactionConflictException'))
    expect(await write()).toMatchObject({ written: false, failed: [], conflict: true })
    for (const error of [failure('TransactionInProgressException'), cancelled('None', 'ThrottlingError')]) {
      refuse(error)
      await expect(write()).rejects.toMatchObject({ code: 'store.unavailable' })
    }
    const ours = cancelled('ValidationError')
    refuse(ours)
    await expect(write()).rejects.toBe(ours)
  })
})

describe('a single write', () => {
  test('during a transaction is store.conflict, and without a response store.unavailable', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const address = newAddress()
    const writes = [() => putIf(toKey(address)), () => updateIf(address, { add: { size: 1 } }), () => removeIf(address)]
    for (const write of writes) {
      table.way = () => Promise.reject(failure('TransactionConflictException'))
      await expect(write()).rejects.toMatchObject({ code: 'store.conflict' })
      table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
      await expect(write()).rejects.toMatchObject({ code: 'store.unavailable' })
    }
  })
})

describe('the index of what is due', () => {
  test('has the items with both of its attributes, by time, with what its projection takes along', async () => {
    const due = (dueAt: number, more: Item = {}) =>
      stored({ dueShard: { S: 's1' }, dueAt: { N: String(dueAt) }, kind: { S: 'lane' }, ...more })
    const later = await due(2_000, { lane: { S: 'l2' }, destination: { S: 'd' }, epoch: { N: '3' } })
    const earlier = await due(1_000)
    await due(2_001)
    await stored({ dueAt: { N: '1' } })
    await stored({ dueShard: { S: 's2' }, dueAt: { N: '1' } })
    const index = (dueAt: string) => ({ dueShard: { S: 's1' }, dueAt: { N: dueAt }, kind: { S: 'lane' } })
    expect(await queryDue('s1', 2_000)).toEqual({
      items: [
        { ...toKey(earlier), ...index('1000') },
        { ...toKey(later), ...index('2000'), lane: { S: 'l2' }, destination: { S: 'd' }, epoch: { N: '3' } },
      ],
    })
    await updateIf(earlier, { remove: ['dueShard', 'dueAt'] })
    expect((await queryDue('s1', 2_000)).items).toHaveLength(1)
  })

  test('is read in pages', async () => {
    const addresses = []
    for (const _ of [1, 2, 3, 4, 5]) addresses.push(await stored({ dueShard: { S: 'pages' }, dueAt: { N: '7' } }))
    const seen: Item[] = []
    let after: Item | undefined
    let pages = 0
    do {
      const page = await queryDue('pages', 7, { limit: 2, after })
      seen.push(...page.items)
      after = page.next
      pages += 1
    } while (after !== undefined)
    expect(seen.map(({ pk }) => pk?.S).sort()).toEqual(addresses.map(({ pk }) => pk).sort())
    expect(pages).toBe(3)
  })
})

test('DynamoDB takes no empty expression: what is not asked for is left out', () => {
  const names = { ExpressionAttributeNames: { '#0': 'a' } }
  expect(expressionsOf({ absent: ['a'] })).toEqual({ ConditionExpression: 'attribute_not_exists(#0)', ...names })
  expect(expressionsOf(undefined, { remove: ['a'] })).toEqual({ UpdateExpression: ' REMOVE #0', ...names })
  expect(expressionsOf(undefined)).toEqual({})
})
