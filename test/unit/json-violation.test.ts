/** Violations in JSON. */
import { describe, expect, test } from 'vitest'
import { findViolation } from '../../lib/json.ts'
import { MAX_LINEAR_MS, processorTime } from '../support/processor-time.ts'

const find = (json: string) => findViolation(JSON.parse(json), { maxDepth: 3, forbidden: ['__proto__', 'constructor'] })

describe('finds with its path', () => {
  test.each([
    ['a text that is no Unicode', '{"a":[1,{"b":"\\ud800"}]}', ['a', 1, 'b']],
    ['a text that is no Unicode, alone', '"\\udc00"', []],
    ['a number that is too large', '{"a":[0,-1e400]}', ['a', 1]],
    ['a name that is no Unicode', '{"a":{"\\ud800":1}}', ['a']],
    ['a forbidden name', '{"a":[{"__proto__":1}]}', ['a', 0]],
    ['a forbidden name of the whole', '{"constructor":1}', []],
    ['a fourth level of lists', '[[[[[]]]]]', [0, 0, 0, 0]],
    ['a fourth level of objects', '{"a":{"b":{"c":{"d":{}}}}}', ['a', 'b', 'c', 'd']],
  ])('%s', (_name, json, path) => {
    expect(find(json)).toEqual({ path, message: expect.stringMatching(/^must /) })
  })
})

test.each(['null', '1', '"a"', '[]', '{"a":{"b":{"c":{"d":"e"}}}}', '{"prototype":"😀"}'])('takes %s', (json) => {
  expect(find(json)).toBeUndefined()
})

test('is fast for very deep or long values', () => {
  const spent = processorTime()
  expect(find('['.repeat(300_000) + ']'.repeat(300_000))).toBeDefined()
  expect(find(`[${'0,'.repeat(300_000)}0]`)).toBeUndefined()
  expect(spent()).toBeLessThan(MAX_LINEAR_MS)
})
