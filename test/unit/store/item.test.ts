/** Descriptions of stored items: what is encoded comes back, and what is corrupt is named without its content. */
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { defineItem, type Stored } from '../../../lib/store/item.ts'
import {
  bytes,
  flag,
  inKey,
  integer,
  isoTime,
  json,
  keyPart,
  optional,
  picklist,
  text,
} from '../../../lib/store/item-fields.ts'
import type { Address } from '../../../lib/store/keys.ts'
import { pack } from '../../../lib/store/packing/packed-text.ts'
import { plainItem } from '../../../lib/store/plain-item.ts'
import type { Item } from '../../../lib/store/table.ts'

const parcel = defineItem(
  'parcel',
  ({ tenant, lane, id }: { tenant: string; lane: string; id: string }) => ({ pk: `${tenant}|${lane}`, sk: id }),
  {
    id: inKey('sk', text()),
    lane: text(),
    state: picklist(['pending', 'failed']),
    attempts: integer(),
    urgent: optional(flag()),
    body: optional(bytes()),
    route: json(v.object({ hops: v.array(v.string()) })),
    expiresAt: optional(integer()),
  },
  'service',
)

const FULL = {
  tenant: 'acme',
  id: 'p1',
  lane: 'l1',
  state: 'pending' as const,
  attempts: 2,
  urgent: false,
  body: new Uint8Array([1, 2, 3]),
  route: { hops: ['a'] },
  expiresAt: 1_800_000_000,
}
const { tenant: _, ...STORED } = FULL

test('an encoded item has its key, its kind and every field once', () => {
  expect(parcel.encode(FULL)).toEqual({
    pk: { S: 'acme|l1' },
    sk: { S: 'p1' },
    kind: { S: 'parcel' },
    lane: { S: 'l1' },
    state: { S: 'pending' },
    attempts: { N: '2' },
    urgent: { BOOL: false },
    body: { B: new Uint8Array([1, 2, 3]) },
    route: { S: '{"hops":["a"]}' },
    expiresAt: { N: '1800000000' },
  })
  expect(parcel.addressOf(FULL)).toEqual({ pk: 'acme|l1', sk: 'p1' })
  const anywhere = defineItem('parcel', (address: Address) => address, { size: integer() }, 'service')
  const [encoded, more] = [anywhere.encode({ pk: 'a', sk: 'b', size: 1 }), { pk: 'a', sk: 'b', size: 2 }]
  expect(encoded).toEqual({ pk: { S: 'a' }, sk: { S: 'b' }, kind: { S: 'parcel' }, size: { N: '1' } })
  expect(anywhere.addressOf(more)).toEqual({ pk: 'a', sk: 'b' })
})

test('a decoded item is the value that was encoded, without the parts of its key that are no fields', () => {
  expect(parcel.decode(parcel.encode(FULL))).toEqual(STORED)
  expectTypeOf<Stored<typeof parcel>>().toEqualTypeOf<{
    id: string
    lane: string
    state: 'pending' | 'failed'
    attempts: number
    urgent?: boolean | undefined
    body?: Uint8Array | undefined
    route: { hops: string[] }
    expiresAt?: number | undefined
  }>()
})

test('an optional field that is missing or undefined is neither stored nor read', () => {
  const { urgent: _urgent, body: _body, expiresAt: _expiresAt, ...least } = FULL
  const item = parcel.encode({ ...least, body: undefined })
  expect(Object.keys(item).sort()).toEqual(['attempts', 'kind', 'lane', 'pk', 'route', 'sk', 'state'])
  const { tenant: _tenant, ...stored } = least
  expect(parcel.decode(item)).toStrictEqual(stored)
})

test('a stream image, whose bytes are base64, decodes to the same value', () => {
  const image = { ...parcel.encode(FULL), body: { B: 'AQID' } }
  expect(parcel.is(image)).toBe(true)
  expect(parcel.decode(image)).toMatchObject({ id: 'p1', body: Buffer.from([1, 2, 3]) })
})

test('some fields are encoded for an update, and decoded from an index that has only these', () => {
  expect(parcel.attributes({ state: 'failed', attempts: 3, urgent: undefined })).toEqual({
    state: { S: 'failed' },
    attempts: { N: '3' },
  })
  expect(parcel.decodePart({ kind: { S: 'parcel' }, lane: { S: 'l1' } }, ['lane', 'urgent'])).toEqual({ lane: 'l1' })
})

describe('an item of another kind', () => {
  test('is not of this one, and is not decoded', () => {
    const other: Item = { ...parcel.encode(FULL), kind: { S: 'other' } }
    expect(parcel.is(other)).toBe(false)
    expect(parcel.is(undefined)).toBe(false)
    expect(() => parcel.decode(other)).toThrow('a stored parcel is corrupt at kind')
  })
})

describe('a corrupt item', () => {
  const SECRET = 'do-not-quote-me'
  test.each<[string, Item]>([
    ['sk', { sk: { N: '1' } }],
    ['lane', { lane: { N: '1' } }],
    ['state', { state: { S: SECRET } }],
    ['attempts', { attempts: { N: SECRET } }],
    ['attempts', { attempts: { N: '' } }],
    ['attempts', { attempts: { N: '1.5' } }],
    ['attempts', { attempts: { S: '1' } }],
    ['urgent', { urgent: { S: 'true' } }],
    ['body', { body: { N: '1' } }],
    ['route', { route: { S: `{"${SECRET}` } }],
    ['route.hops', { route: { S: `{"hops":"${SECRET}"}` } }],
    ['route.hops.1', { route: { S: `{"hops":["a",{"x":"${SECRET}"}]}` } }],
    ['expiresAt', { expiresAt: { S: SECRET } }],
  ])('fails with its kind, the path %s and its key, and quotes nothing', (path, broken) => {
    let error: unknown
    const item: Item = { ...parcel.encode(FULL), ...broken }
    try {
      parcel.decode(item)
    } catch (thrown) {
      error = thrown
    }
    const message = `a stored parcel is corrupt at ${path === 'sk' ? 'id' : path}: ${item.pk?.S} ${item.sk?.S}`
    expect(error).toMatchObject({ code: 'internal', message, cause: expect.any(Error) })
    expect((error as Error).cause).not.toMatchObject({ message: expect.stringContaining(SECRET) })
  })

  test.each(['lane', 'state', 'attempts', 'route'])('fails where %s is missing', (name) => {
    const { [name]: _missing, ...item } = parcel.encode(FULL)
    expect(() => parcel.decode(item)).toThrow(`a stored parcel is corrupt at ${name}`)
  })
})

test('a part of a key is read from it, and one that is missing or empty is corrupt', () => {
  const visit = defineItem('visit', (address: Address) => address, { guest: keyPart('pk', '|', 1) }, 'service')
  const read = (pk: string) => visit.decode(visit.encode({ pk, sk: '~' })).guest
  expect(read('acme|ada|x')).toBe('ada')
  for (const pk of ['acme', 'acme|', 'acme||x']) expect(() => read(pk)).toThrow('a stored visit is corrupt at guest')
})

describe('a value that decoding would reject is never stored', () => {
  test.each<[string, Record<string, unknown>]>([
    ['attempts', { attempts: 1.5 }],
    ['attempts', { attempts: Number.NaN }],
    ['attempts', { attempts: Number.POSITIVE_INFINITY }],
    ['attempts', { attempts: 2 ** 53 }],
    ['attempts', { attempts: '2' }],
    ['expiresAt', { expiresAt: 0.1 }],
    ['state', { state: 'do-not-quote-me' }],
  ])('as %s: %j', (name, given) => {
    for (const write of [
      () => parcel.encode({ ...FULL, ...given } as typeof FULL),
      () => parcel.attributes(given as Partial<typeof FULL>),
    ]) {
      expect(write).toThrow(`a parcel cannot be stored with this ${name}`)
      expect(write).not.toThrow('do-not-quote-me')
    }
  })
})

describe('a time', () => {
  const moment = defineItem('moment', (address: Address) => address, { at: isoTime() }, 'service')
  const address = { pk: 'a', sk: 'b' }

  test.each(['2026-01-31T12:00:00.000Z', '2024-02-29T23:59:59Z'])('in UTC comes back: %s', (at) => {
    expect(moment.decode(moment.encode({ ...address, at }))).toEqual({ at })
  })

  test.each([
    'garbage',
    '',
    '2026-02-30T12:00:00.000Z',
    '2026-01-31T25:00:00Z',
    '2026-01-31',
    '2026-01-31T12:00:00+01:00',
  ])('is corrupt where it is something else, which is never stored: %j', (at) => {
    const item = { ...moment.encode({ ...address, at: '2026-01-31T12:00:00Z' }), at: { S: at } }
    expect(() => moment.decode(item)).toThrow('a stored moment is corrupt at at')
    expect(() => moment.encode({ ...address, at })).toThrow('a moment cannot be stored with this at')
  })

  test('is corrupt where it is no text', () => {
    const item = { ...moment.encode({ ...address, at: '2026-01-31T12:00:00Z' }), at: { N: '1' } }
    expect(() => moment.decode(item)).toThrow('a stored moment is corrupt at at')
  })
})

test('an item as plain JSON shows texts unchanged, and JSON that is packed or not', () => {
  const item = {
    number: { N: '5' },
    digits: { S: '5' },
    json: { S: '{"a":[1]}' },
    list: { S: '[1]' },
    flag: { BOOL: true },
    sealed: { B: new Uint8Array([1, 2]) },
  }
  expect(plainItem(item)).toEqual({ number: 5, digits: '5', json: { a: [1] }, list: [1], flag: true, sealed: 'AQI=' })
  const packed = Buffer.from(pack(JSON.stringify({ text: 'x'.repeat(100) })) ?? [])
  // The stream has bytes in base64.
  for (const B of [packed, packed.toString('base64')])
    expect(plainItem({ packed: { B } })).toEqual({ packed: { text: 'x'.repeat(100) } })
})

test('an item as plain JSON shows what is left of packed bytes that are corrupt', () => {
  const corrupt = Buffer.from(pack('x'.repeat(100)) ?? []).subarray(0, 12)
  expect(plainItem({ state: { S: 'failed' }, content: { B: corrupt } })).toEqual({
    ...{ state: 'failed', content: corrupt.toString('base64') },
  })
})
