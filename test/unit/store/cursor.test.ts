/** Cursors: they contain only a position; anything else, or another encoding of it, is rejected. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeCursor, encodeCursor, LIST_POSITION, REPLAY_POSITION } from '../../../lib/store/item-list.ts'

const MALFORMED = expect.objectContaining({ code: 'request.malformed' })
const TIME = '2026-01-01T00:00:00.000Z'
const ENTRY = `${TIME}#5f1c2f4e-8a52-4b1e-9d7c-000000000000`

describe('a cursor', () => {
  test.each([
    ['an entry of an index', LIST_POSITION, ENTRY],
    ['an entry with an id of 64 characters', LIST_POSITION, `${TIME}#${'A.b_c:d-'.repeat(8)}`],
    ['an attempt', LIST_POSITION, `${ENTRY}#12`],
    ['a replay', REPLAY_POSITION, `2026-02-01T00:00:00.000Z ${ENTRY}`],
  ])('should open to the position that it was made of: %s', (_, shape, position) => {
    const cursor = encodeCursor(position)
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(decodeCursor(cursor, shape)).toBe(position)
  })

  test.each([
    ['', LIST_POSITION],
    ['x', LIST_POSITION],
    [TIME, LIST_POSITION],
    [`${TIME}#`, LIST_POSITION],
    [`x${ENTRY}`, LIST_POSITION],
    [`${ENTRY}\n`, LIST_POSITION],
    [`${ENTRY}#1#2`, LIST_POSITION],
    [`${ENTRY}|other`, LIST_POSITION],
    [`${TIME}#a b`, LIST_POSITION],
    [`${TIME}#ä`, LIST_POSITION],
    [`${TIME}#\u0000`, LIST_POSITION],
    // DynamoDB takes sort keys of up to 1,024 bytes.
    [`${TIME}#${'x'.repeat(129)}`, LIST_POSITION],
    [`${TIME} ${ENTRY}`, LIST_POSITION],
    [ENTRY, REPLAY_POSITION],
    [`${TIME} ${TIME}`, REPLAY_POSITION],
    [`${TIME} ${ENTRY} ${ENTRY}`, REPLAY_POSITION],
  ])('should not open to what is no position: %j', (text, shape) => {
    expect(() => decodeCursor(encodeCursor(text), shape)).toThrow(MALFORMED)
  })

  test('should have one spelling', () => {
    const cursor = encodeCursor(`${ENTRY}#12`)
    const bytes = Buffer.from(cursor, 'base64url')
    const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .map((last) => cursor.slice(0, -1) + last)
      .filter((other) => other !== cursor && Buffer.from(other, 'base64url').equals(bytes))
    expect(spellings).toHaveLength(15)
    for (const other of [
      ...spellings,
      bytes.toString('base64'),
      `${cursor}A`,
      ` ${cursor}`,
      `${cursor}=`,
      `${cursor}~`,
    ])
      expect(() => decodeCursor(other, LIST_POSITION)).toThrow(MALFORMED)
  })

  test('should not open where it is not UTF-8', () => {
    const bytes = Buffer.from(ENTRY)
    bytes.writeUInt8(0xff, bytes.length - 1)
    expect(() => decodeCursor(bytes.toString('base64url'), LIST_POSITION)).toThrow(MALFORMED)
  })

  test('should be decoded to a position, or be rejected, for any text', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      fc.string({ unit: 'binary' }).map(encodeCursor),
      fc.string().map((text) => encodeCursor(`${TIME}#${text}`)),
    )
    const property = fc.property(anything, (cursor) => {
      let position: string
      try {
        position = decodeCursor(cursor, LIST_POSITION)
      } catch (error) {
        expect(error).toEqual(MALFORMED)
        return
      }
      expect(position).toMatch(/^[\d-]{10}T[\d:.]{12}Z#[\w.:#~-]+$/)
      expect(position.length).toBeLessThan(1_024)
    })
    fc.assert(property, { numRuns: 500 })
  })
})
