import { deflateSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { StatusListError } from '../../../lib/status-list/errors.ts'
import { type KeyOf, readStatus } from '../../../lib/status-list/read.ts'
import { readStatuses } from '../../../lib/status-list/read-all.ts'
import { newKey, rawJwt, seconds } from '../../support/openid/jwts.ts'

const issuer = newKey()
const keyOf: KeyOf = () => issuer.jwk
const another = newKey()

/** Each test has another address for its lists: they are cached in the process. */
let addresses = 0
const newUri = () => `https://issuer.example/lists/${addresses++}`

interface List {
  bytes?: Uint8Array
  bits?: unknown
  list?: object
  payload?: object
  header?: object
  key?: typeof issuer
}
const listJwt = (uri: string, { bytes = Uint8Array.of(0), bits = 1, list, payload, header, key = issuer }: List = {}) =>
  rawJwt(
    key.privateKey,
    { alg: 'ES256', typ: 'statuslist+jwt', ...header },
    {
      sub: uri,
      iat: seconds(),
      status_list: { bits, lst: deflateSync(bytes).toString('base64url'), ...list },
      ...payload,
    },
  )

const read = (list: List, idx: unknown = 0, uri = newUri()) =>
  readStatus({ uri, idx }, { fetchList: async () => listJwt(uri, list), keyOf })

describe('the status at an index', () => {
  // Token Status List, section 4.1, its first two examples.
  const ofOneBit = { bytes: Uint8Array.of(0xb9, 0xa3) }
  test.each([
    [0, 'invalid'],
    [1, 'valid'],
    [7, 'invalid'],
    [8, 'invalid'],
    [10, 'valid'],
    [15, 'invalid'],
  ])('%i of one bit is %s', async (idx, status) => expect(await read(ofOneBit, idx)).toBe(status))

  const ofTwoBits = { bits: 2, bytes: Uint8Array.of(0xc9, 0x44, 0xf9) }
  test.each([
    [0, 'invalid'],
    [1, 'suspended'],
    [2, 'valid'],
    [3, 'other'],
    [11, 'other'],
  ])('%i of two bits is %s', async (idx, status) => expect(await read(ofTwoBits, idx)).toBe(status))

  test('has four or eight bits, too', async () => {
    expect(await read({ bits: 4, bytes: Uint8Array.of(0x2f) }, 0)).toBe('other')
    expect(await read({ bits: 4, bytes: Uint8Array.of(0x2f) }, 1)).toBe('suspended')
    expect(await read({ bits: 8, bytes: Uint8Array.of(0, 1, 0x81) }, 1)).toBe('invalid')
    expect(await read({ bits: 8, bytes: Uint8Array.of(0, 1, 0x81) }, 2)).toBe('other')
  })

  test.each([1, 2, 4, 8])('is within the list of %i bits', async (bits) => {
    const bytes = new Uint8Array(10)
    expect(await read({ bits, bytes }, 80 / bits - 1)).toBe('valid')
    await expect(read({ bits, bytes }, 80 / bits)).rejects.toThrow('unreadable: the list has no status at this index')
  })
})

test.each<[string, List, unknown, RegExp]>([
  ['a negative index', {}, -1, /does not refer/],
  ['half an index', {}, 0.5, /does not refer/],
  ['an index as a text', {}, '0', /does not refer/],
  ['an index beyond what JavaScript counts', {}, 2 ** 60, /does not refer/],
  ['the largest index', {}, Number.MAX_SAFE_INTEGER, /no status at this index/],
  ['another address', { payload: { sub: 'https://issuer.example/other' } }, 0, /for another address/],
  ['no address', { payload: { sub: undefined } }, 0, /not a status list/],
  ['another type', { header: { typ: 'JWT' } }, 0, /must be statuslist\+jwt/],
  ['no algorithm', { header: { alg: 'none' } }, 0, /algorithm/],
  ['another key, in its header', { key: another, header: { jwk: another.jwk } }, 0, /expected key/],
  ['a past expiry', { payload: { exp: seconds() - 90 } }, 0, /expired/],
  ['an expiry as a text', { payload: { exp: '9999999999' } }, 0, /exp/],
  ['no time', { payload: { iat: undefined } }, 0, /no iat/],
  ['a ttl as a text', { payload: { ttl: '60' } }, 0, /not a status list/],
  ['three bits', { bits: 3 }, 0, /not a status list/],
  ['bits as a text', { bits: '1' }, 0, /not a status list/],
  ['no list', { list: { lst: undefined } }, 0, /not a status list/],
  ['bytes that are not compressed', { list: { lst: 'AAAA' } }, 0, /not compressed/],
  [
    'half of the bytes',
    { list: { lst: deflateSync(Buffer.from('some bytes')).subarray(0, 8).toString('base64url') } },
    0,
    /not compressed/,
  ],
  ['a bomb', { bytes: Buffer.alloc(4 * 1024 * 1024 + 1) }, 0, /over 4194304 bytes/],
])('a list with %s is unreadable', async (_, list, idx, message) => {
  await expect(read(list, idx)).rejects.toThrow(message)
  await expect(read(list, idx)).rejects.toThrow(/^unreadable: /)
  await expect(read(list, idx)).rejects.toThrow(StatusListError)
})

test('a list of 4 MiB is read', async () => {
  expect(await read({ bytes: Buffer.alloc(4 * 1024 * 1024) }, 2 ** 25 - 1)).toBe('valid')
})

test('an address that is not a text or too long, or a page in place of the list, is unreadable', async () => {
  const options = { fetchList: async () => '<html>', keyOf }
  for (const uri of [['https://a.example'], newUri().padEnd(2_049, '/')])
    await expect(readStatus({ uri, idx: 0 }, options)).rejects.toThrow('does not refer')
  await expect(readStatus({ uri: newUri(), idx: 0 }, options)).rejects.toThrow(
    'unreadable: the JWT is not in compact form',
  )
})

describe('a list is cached', () => {
  const now = new Date()
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)

  const cached = (payload: object) => {
    const uri = newUri()
    const fetchList = vi.fn(async () => listJwt(uri, { payload }))
    const at = async (now: Date, trusted = keyOf) => {
      await readStatus({ uri, idx: 0 }, { fetchList, keyOf: trusted, now })
      return fetchList.mock.calls.length
    }
    return { at, fetchList }
  }

  test.each<[string, object, number]>([
    ['for its ttl', { ttl: 60 }, 60],
    ['until it expires, if that is sooner', { ttl: 600, exp: Math.floor(now.getTime() / 1000) + 60 }, 60],
    ['for an hour at most', { ttl: 1e9 }, 3_600],
  ])('%s', async (_, payload, limit) => {
    const { at } = cached(payload)
    expect(await at(now)).toBe(1)
    expect(await at(later(limit - 2))).toBe(1)
    expect(await at(later(limit + 1))).toBe(2)
  })

  test('not at all without a ttl', async () => {
    const { at } = cached({})
    expect([await at(now), await at(now)]).toEqual([1, 2])
  })

  test('and not used by a caller that trusts another key, or none', async () => {
    const { at, fetchList } = cached({ ttl: 60 })
    await at(now)
    await expect(at(now, () => newKey().jwk)).rejects.toThrow('expected key')
    const none: KeyOf = () => {
      throw new Error('the chain leads to no trusted certificate')
    }
    await expect(at(now, none)).rejects.toThrow('unreadable: the chain leads to no trusted certificate')
    expect(await at(now)).toBe(3)
    expect(fetchList).toHaveBeenCalledTimes(3)
  })

  test('beside others up to 16 MiB, headers included', async () => {
    const { at } = cached({ ttl: 60 })
    await at(now)
    const header = { x5c: ['A'.repeat(1_400_000)] }
    for (let count = 0; count < 12; count++) await read({ header, payload: { ttl: 60 } })
    expect(await at(now)).toBe(2)
  })

  test('and an unverified one never is', async () => {
    const uri = newUri()
    const forged = async () => listJwt(uri, { key: newKey(), payload: { ttl: 60 } })
    await expect(readStatus({ uri, idx: 0 }, { fetchList: forged, keyOf })).rejects.toThrow('expected key')
    const revoked = async () => listJwt(uri, { bytes: Uint8Array.of(1) })
    expect(await readStatus({ uri, idx: 0 }, { fetchList: revoked, keyOf })).toBe('invalid')
  })
})

describe('the lists of a response', () => {
  test('are read side by side, each once, and the outcomes are in the order of the references', async () => {
    const uris = [newUri(), newUri(), newUri(), newUri()]
    let isOpen = () => {}
    const all = new Promise<void>((resolve) => {
      isOpen = resolve
    })
    const fetchList = vi.fn(async (uri: string) => {
      if (fetchList.mock.calls.length === 4) isOpen()
      await all
      return listJwt(uri, { bytes: Uint8Array.of(2) })
    })
    const references = uris.flatMap((uri) => [0, 1, 99].map((idx) => ({ uri, idx, keyOf })))
    const outcomes = await readStatuses(references, { fetchList })
    expect(fetchList).toHaveBeenCalledTimes(4)
    const beyond = { status: 'unreadable', reason: 'the list has no status at this index' }
    expect(outcomes).toEqual(uris.flatMap(() => [{ status: 'valid' }, { status: 'invalid' }, beyond]))
  })

  test('are four at most', async () => {
    const fetchList = vi.fn(async (uri: string) => listJwt(uri))
    const references = Array.from({ length: 6 }, () => ({ uri: newUri(), idx: 0, keyOf }))
    const outcomes = await readStatuses(references, { fetchList })
    expect(outcomes.map(({ status }) => status)).toEqual([...Array(4).fill('valid'), 'unreadable', 'unreadable'])
    expect(fetchList).toHaveBeenCalledTimes(4)
  })

  test('are unreadable when the time is over, and the other ones count', async () => {
    const [slow, quick] = [newUri(), newUri()]
    const fetchList = (uri: string) => (uri === slow ? new Promise<never>(() => {}) : Promise.resolve(listJwt(uri)))
    const references = [slow, quick].map((uri) => ({ uri, idx: 0, keyOf }))
    expect(await readStatuses(references, { fetchList, milliseconds: 200 })).toEqual([
      { status: 'unreadable', reason: 'the lists cannot be read in time' },
      { status: 'valid' },
    ])
  })

  test('do not hide an internal error', async () => {
    const fetchList = () => Promise.reject(new TypeError('ours'))
    await expect(readStatuses([{ uri: newUri(), idx: 0, keyOf }], { fetchList })).rejects.toThrow('ours')
  })
})
