/** Cursors: they open where they were made for, and nowhere else, and not when anything about them was changed. */
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openCursor, signCursor } from '../../../lib/store/cursor.ts'
import { CURSOR_KEY_ADDRESS } from '../../../lib/store/keys.ts'
import { failure, type StartedTable, startTable } from './started-table.ts'

let table: StartedTable

beforeAll(async () => {
  table = await startTable()
})
afterAll(() => table.stop())
afterEach(() => {
  table.way = undefined
  vi.restoreAllMocks()
})

/** The module as another process has it: with nothing in memory. */
const anotherProcess = async (): Promise<typeof import('../../../lib/store/cursor.ts')> => {
  vi.resetModules()
  return import('../../../lib/store/cursor.ts')
}
// Another copy of the module has another copy of the error's class, so it is known by its code.
const MALFORMED = expect.objectContaining({ code: 'request.malformed' })

test('the key should be made once, by whoever needs it first, and be the same for all', async () => {
  const processes = [await anotherProcess(), await anotherProcess(), await anotherProcess()]
  const cursors = await Promise.all(processes.map((process) => process.signCursor('list', 'position')))
  expect(new Set(cursors).size).toBe(1)
  expect((await table.get(CURSOR_KEY_ADDRESS))?.key?.B).toHaveLength(32)
  for (const process of processes) expect(await process.openCursor('list', cursors[0] ?? '')).toBe('position')
  expect(await table.check()).toEqual([])
})

test('the key should be read once for a process, and again where that failed', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
  await expect(signCursor('list', 'position')).rejects.toMatchObject({ code: 'store.unavailable' })
  table.way = undefined
  table.watch()
  for (let time = 0; time < 3; time++) await openCursor('list', await signCursor('list', 'position'))
  expect(table.requests).toEqual(['GetItem'])
})

describe('a cursor', () => {
  test('should open to its position in its own scope, whatever they are', async () => {
    const text = fc.string({ unit: 'grapheme' })
    const roundTrip = fc.asyncProperty(text, text, async (scope, position) => {
      const cursor = await signCursor(scope, position)
      expect(cursor).toMatch(/^[\w-]+$/)
      expect(await openCursor(scope, cursor)).toBe(position)
    })
    await fc.assert(roundTrip)
  })

  test('should not open in any other scope', async () => {
    const other = fc.asyncProperty(fc.string(), fc.string(), fc.string(), async (scope, elsewhere, position) => {
      fc.pre(scope !== elsewhere)
      await expect(openCursor(elsewhere, await signCursor(scope, position))).rejects.toThrow(MALFORMED)
    })
    await fc.assert(other)
    // What is moved from the position to the scope is not the same, although they make the same text.
    const bytes = Buffer.from(await signCursor('list', 'ab'), 'base64url')
    const moved = Buffer.concat([bytes.subarray(0, -2), Buffer.from('b')]).toString('base64url')
    await expect(openCursor('lista', moved)).rejects.toThrow(MALFORMED)
  })

  test('should not open with any byte changed, missing or added', async () => {
    const scope = 'acme|ConnectionRecord|*|x desc '
    const cursor = await signCursor(scope, '2026-01-01T00:00:00.000Z#5f1c2f4e')
    const bytes = Buffer.from(cursor, 'base64url')
    for (let place = 0; place < bytes.length; place++) {
      for (const bit of [0x01, 0x80]) {
        const altered = Buffer.from(bytes)
        altered.writeUInt8(altered.readUInt8(place) ^ bit, place)
        await expect(openCursor(scope, altered.toString('base64url'))).rejects.toThrow(MALFORMED)
      }
      await expect(openCursor(scope, bytes.subarray(0, place).toString('base64url'))).rejects.toThrow(MALFORMED)
    }
    for (const suffix of ['A', 'AAAA', '=', ' ', '\n', '.'])
      await expect(openCursor(scope, cursor + suffix)).rejects.toThrow(MALFORMED)
  })

  test('should not open in another spelling of the same bytes', async () => {
    const cursor = await signCursor('list', 'positio')
    const bytes = Buffer.from(cursor, 'base64url')
    const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .map((last) => cursor.slice(0, -1) + last)
      .filter((other) => other !== cursor && Buffer.from(other, 'base64url').equals(bytes))
    expect(spellings).toHaveLength(3)
    for (const other of [...spellings, bytes.toString('base64')])
      await expect(openCursor('list', other)).rejects.toThrow(MALFORMED)
  })

  test('should not open with any character changed', async () => {
    const cursor = await signCursor('list', 'position')
    const altered = fc.asyncProperty(
      fc.nat({ max: cursor.length - 1 }),
      fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
      async (place, character) => {
        fc.pre(cursor[place] !== character)
        const changed = cursor.slice(0, place) + character + cursor.slice(place + 1)
        await expect(openCursor('list', changed)).rejects.toThrow(MALFORMED)
      },
    )
    await fc.assert(altered, { numRuns: 200 })
  })

  test('should not be made up', async () => {
    const madeUp = fc.asyncProperty(
      fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: 'binary' })),
      async (text) => {
        await expect(openCursor('list', text)).rejects.toThrow(MALFORMED)
      },
    )
    await fc.assert(madeUp, { numRuns: 500 })
  })
})
