/** Ids that follow from content. */
import { expect, test } from 'vitest'
import { uuidOf } from '../../lib/uuid.ts'

test('one is a UUID of version 8 (RFC 9562), the same for the same text', () => {
  for (const text of ['', 'a', 'b', 'c', 'd', 'e', 'f', 'g'])
    expect(uuidOf(text)).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(uuidOf('a')).toBe(uuidOf('a'))
  expect(uuidOf('a')).not.toBe(uuidOf('b'))
})
