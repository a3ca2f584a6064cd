import { describe, expect, test } from 'vitest'
import { hasMoreValuesThan, isNestedDeeperThan, memorySizeOf } from '../../lib/json.ts'

const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 'leaf'
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}

describe.each<[string, number, (inner: unknown) => unknown]>([
  ['arrays', 1, (inner) => [inner]],
  ['objects', 1, (inner) => ({ a: inner })],
  ['arrays and objects', 2, (inner) => [1, { b: 2, a: inner }]],
])('the depth of %s', (_, levels, wrap) => {
  test('is counted in levels', () => {
    expect(isNestedDeeperThan(nested(16, wrap), 16 * levels)).toBe(false)
    expect(isNestedDeeperThan(nested(17, wrap), 16 * levels)).toBe(true)
  })

  test('is found without recursion', () => {
    expect(isNestedDeeperThan(nested(200_000, wrap), 32)).toBe(true)
    expect(isNestedDeeperThan(nested(200_000, wrap), 200_000 * levels)).toBe(false)
  })
})

test.each([[1], ['text'], [null], [undefined], [[]], [{}]])('%j has at most one level', (value) => {
  expect(isNestedDeeperThan(value, 1)).toBe(false)
})

test('an array has a level', () => {
  expect(isNestedDeeperThan([], 0)).toBe(true)
  expect(isNestedDeeperThan('text', 0)).toBe(false)
})

test('values are counted, the document and its scalars included', () => {
  const document = { a: [1, 2], b: 'x' }
  expect(hasMoreValuesThan(document, 5)).toBe(false)
  expect(hasMoreValuesThan(document, 4)).toBe(true)
  expect(
    hasMoreValuesThan(
      Array.from({ length: 300_000 }, () => 0),
      20_000,
    ),
  ).toBe(true)
})

describe('the size of a value in memory', () => {
  test.each<[unknown, number]>([
    ['text', 36],
    [1, 32],
    [null, 32],
    [undefined, 32],
    [[], 32],
    [{ name: 'text' }, 72],
    [{ a: { b: 'c' } }, 99],
  ])('of %j is %i bytes', (value, size) => {
    expect(memorySizeOf(value)).toBe(size)
  })

  test('grows with names as with texts', () => {
    expect(memorySizeOf({ ['a'.repeat(1_000)]: 1 })).toBe(1_064)
  })

  test('is found without recursion', () => {
    expect(memorySizeOf(nested(200_000, (inner) => ({ a: inner })))).toBe(200_000 * 33 + 36)
  })
})
