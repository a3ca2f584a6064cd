/** A memory that forgets its oldest when it is full, and all after a time. */
import { afterEach, expect, test, vi } from 'vitest'
import { Bounded } from '../../lib/bounded.ts'

afterEach(() => {
  vi.useRealTimers()
})

const names = ['a', 'b', 'c', 'd']
const held = (memory: Bounded<string, number>) => names.filter((name) => memory.get(name) !== undefined)

test('should forget the oldest entry, and no other', () => {
  const memory = new Bounded<string, number>(3)
  names.forEach((name, index) => {
    expect(memory.set(name, index)).toBe(index)
  })
  expect(held(memory)).toEqual(['b', 'c', 'd'])
})

test('should take what is set again for new, and for one entry', () => {
  const memory = new Bounded<string, number>(2)
  for (const name of ['a', 'b', 'a', 'c']) memory.set(name, 1)
  expect(held(memory)).toEqual(['a', 'c'])
  expect(memory.set('a', 2)).toBe(2)
  expect(memory.get('a')).toBe(2)
})

test('should forget as many of the oldest entries as what is new takes room', () => {
  const memory = new Bounded<string, number>(10, Number.POSITIVE_INFINITY, (size) => size)
  memory.set('a', 4)
  memory.set('b', 3)
  memory.set('c', 3)
  expect(held(memory)).toEqual(['a', 'b', 'c'])
  memory.set('d', 5)
  expect(held(memory)).toEqual(['c', 'd'])
  memory.set('c', 1)
  memory.set('a', 4)
  expect(held(memory)).toEqual(['a', 'c', 'd'])
})

test('should not keep an entry larger than the cache, nor drop other ones for it', () => {
  const memory = new Bounded<string, number>(10, Number.POSITIVE_INFINITY, (size) => size)
  memory.set('a', 4)
  memory.set('b', 4)
  expect(memory.set('a', 11)).toBe(11)
  expect(held(memory)).toEqual(['b'])
})

test('should have room again for what was deleted', () => {
  const memory = new Bounded<string, number>(2)
  memory.set('a', 1)
  memory.set('b', 1)
  memory.delete('b')
  memory.delete('unknown')
  memory.set('c', 1)
  expect(held(memory)).toEqual(['a', 'c'])
})

test('should forget an entry after its time, counted anew when it is set again', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const start = Date.now()
  const memory = new Bounded<string, number>(3, 1_000)
  memory.set('a', 1)
  memory.set('b', 1)
  vi.setSystemTime(start + 999)
  expect(held(memory)).toEqual(['a', 'b'])
  memory.set('b', 2)
  vi.setSystemTime(start + 1_000)
  expect(held(memory)).toEqual(['b'])
  vi.setSystemTime(start + 1_999)
  expect(held(memory)).toEqual([])
})

test('should keep an entry for ever where no time is said', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const memory = new Bounded<string, number>(3)
  memory.set('a', 1)
  vi.setSystemTime(Date.now() + 1e12)
  expect(held(memory)).toEqual(['a'])
})
