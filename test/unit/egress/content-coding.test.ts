/** Content codings of what the two clients read: which are undone, and what a compressed content may cost. */
import {
  brotliCompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readOperatorAddress } from '../../../lib/egress/operator-address.ts'
import { describeUnread, get, post } from '../../../lib/egress/post.ts'
import { stopAtEnd } from '../../support/stop-at-end.ts'
import { startFaultyReceiver } from '../../support/webhooks/faulty-receiver.ts'

const receiver = await stopAtEnd(startFaultyReceiver())
const LIMIT = 64 * 1024
/** Time enough, however busy the machine is. */
const PATIENT = { connectMs: 60 * 60_000, attemptMs: 60 * 60_000 }
const TEXT = 'a document, a document, a document'

beforeEach(() => {
  receiver.received.length = 0
})

const answer = (coding: string, body: Buffer | string, status = 200) =>
  receiver.behave({ status, headers: { 'content-encoding': coding }, body })

const attempt = (responseBytes: number) => ({
  url: receiver.url,
  headers: {},
  policy: { local: true },
  limits: { ...PATIENT, responseBytes },
})

/** What each of the clients reads, or why it reads nothing. */
const readers = {
  'the guarded client': async (limit = LIMIT) => {
    const outcome = await get(attempt(limit))
    if (outcome.failure !== undefined) return describeUnread(outcome)
    return (outcome.size ?? 0) >= limit ? 'too much' : outcome.body
  },
  'the client of operators': (limit = LIMIT) =>
    readOperatorAddress(receiver.url, { milliseconds: PATIENT.attemptMs, bytes: limit - 1, local: true }).catch(
      ({ message }: Error) => (message === `more than ${limit - 1} bytes` ? 'too much' : message),
    ),
}

/** Counts the bytes that all decoders of these kinds put out. */
const countInflated = () => {
  let bytes = 0
  for (const decoder of [createGunzip(), createBrotliDecompress(), createInflate()]) {
    const push = decoder.push
    const spy = vi.spyOn(Object.getPrototypeOf(decoder), 'push').mockImplementation(function (this: unknown, chunk) {
      bytes += (chunk as Buffer | null)?.length ?? 0
      return push.call(this as typeof decoder, chunk)
    })
    onTestFinished(() => spy.mockRestore())
  }
  return () => bytes
}

const MIB_OF_ZEROS = gzipSync(Buffer.alloc(1024 * 1024))

describe.each(Object.entries(readers))('%s', (_, read) => {
  test.each([
    ['gzip', gzipSync(TEXT)],
    ['X-GZip', gzipSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['identity, gzip', gzipSync(TEXT)],
    ['identity', TEXT],
    ['', TEXT],
  ])('asks for no coding, and reads %j', async (coding, body) => {
    answer(coding, body)
    expect(await read()).toBe(TEXT)
    expect(receiver.received).toMatchObject([
      { headers: { 'accept-encoding': 'identity', 'user-agent': 'serverless-agent' } },
    ])
  })

  test.each([
    ['zstd', zstdCompressSync(TEXT), 'content-encoding zstd'],
    ['gzip, gzip', gzipSync(gzipSync(TEXT)), 'content-encoding gzip, gzip'],
    [`<b>${'x'.repeat(1000)}`, TEXT, `content-encoding ?b?${'x'.repeat(47)}`],
    ['gzip', TEXT, 'content does not match content-encoding gzip'],
    ['br', brotliCompressSync(TEXT).subarray(0, -3), 'content does not match content-encoding br'],
  ])('says that it cannot read %s', async (coding, body, reason) => {
    answer(coding, body)
    expect(await read()).toBe(reason)
  })

  test.each([
    ['gzip', gzipSync(Buffer.alloc(LIMIT - 1)), LIMIT - 1],
    ['gzip', gzipSync(Buffer.alloc(LIMIT)), 'too much'.length],
  ])('reads less than its limit in %s', async (coding, body, length) => {
    answer(coding, body)
    expect(await read()).toHaveLength(length)
  })

  test.each([
    ['gzip, 1 MB of 1 GB', 'gzip', Buffer.concat(Array(1024).fill(MIB_OF_ZEROS)), 2 * 1024 * 1024],
    ['br', 'br', brotliCompressSync(Buffer.alloc(16 * 1024 * 1024)), LIMIT],
    ['deflate', 'deflate', deflateSync(Buffer.alloc(16 * 1024 * 1024)), LIMIT],
  ])('inflates no more than its limit: %s', async (_name, coding, body, limit) => {
    expect(body.length).toBeLessThan(limit)
    answer(coding, body)
    const inflated = countInflated()
    expect(await read(limit)).toBe('too much')
    expect(inflated()).toBeGreaterThan(0)
    expect(inflated()).toBeLessThanOrEqual(limit + 16 * 1024)
  })

  test('stops at its limit for content that is empty after decoding', async () => {
    answer('gzip', Buffer.concat(Array(LIMIT / 16).fill(gzipSync(''))))
    expect(await read()).toBe('too much')
  })
})

test('what was inflated counts as such', async () => {
  answer('gzip', gzipSync('x'.repeat(1000)))
  expect(await get(attempt(LIMIT))).toMatchObject({ size: 1000 })
  answer('gzip', gzipSync(''))
  expect(await get(attempt(LIMIT))).toMatchObject({ size: 20 })
})

test('a status other than 200 is what it is, in whichever coding', async () => {
  answer('zstd', TEXT, 404)
  expect(await get(attempt(LIMIT))).not.toHaveProperty('failure')
})

test('a response to a POST is not decoded', async () => {
  answer('gzip', gzipSync(TEXT))
  const { bytes, failure } = await post({ ...attempt(LIMIT), body: '' })
  expect([Buffer.from(bytes ?? '').equals(gzipSync(TEXT)), failure]).toEqual([true, undefined])
})
