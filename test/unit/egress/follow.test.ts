/** Reading a document from an untrusted host: which redirects are followed, and the limits. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { follow } from '../../../lib/egress/follow.ts'
import { stopAtEnd } from '../../support/stop-at-end.ts'
import { startFaultyReceiver } from '../../support/webhooks/faulty-receiver.ts'

const receiver = await stopAtEnd(startFaultyReceiver())

beforeEach(() => {
  receiver.received.length = 0
})

const read = (options: Pick<Parameters<typeof follow>[1], 'redirects' | 'mayFollow'>, url = `${receiver.url}/0`) =>
  follow(url, { accept: 'text/plain', bounds: { milliseconds: 30_000, bytes: 1_000 }, ...options })

const to = (location: string, status = 302) => ({ status, headers: { location } })

describe('a redirect', () => {
  test('is followed as often as the caller allows, and then is the response', async () => {
    receiver.behave(to('/1'), to('/2'), to('/3'), { status: 200 })
    expect(await read({ redirects: 2 })).toMatchObject(to('/3'))
    expect(receiver.received.map(({ path }) => path)).toEqual(['/0', '/1', '/2'])
  })

  test('is the response where the caller does not want to follow it', async () => {
    receiver.behave(to('/1'), to('/2'), { status: 200 })
    const mayFollow = (url: string): boolean => url === `${receiver.url}/1`
    expect(await read({ redirects: 3, mayFollow })).toMatchObject(to('/2'))
  })

  test.each([300, 301, 307, 308, 399])('may have the status %i', async (status) => {
    receiver.behave(to('/1', status), { status: 200 })
    expect(await read({ redirects: 1 })).toMatchObject({ status: 200 })
  })

  test('to an invalid address is the response', async () => {
    receiver.behave(to('https://'), { status: 200 })
    expect(await read({ redirects: 1 })).toMatchObject(to('https://'))
  })

  test.each([201, 404, 503])('is not what a response of %i with a location is', async (status) => {
    receiver.behave(to('/1', status), { status: 200 })
    expect(await read({ redirects: 3 })).toMatchObject({ status })
  })
})

describe('the remaining limit for all documents together', () => {
  const readWithin = (bounds: { milliseconds: number; bytes: number }) =>
    follow(`${receiver.url}/0`, { accept: 'text/plain', bounds })

  test('is reduced by each response, of which at most one byte more is read', async () => {
    receiver.behave({ status: 200, body: 'x'.repeat(6), after: 20 }, { status: 200, body: 'x'.repeat(100) })
    const bounds = { milliseconds: 30_000, bytes: 10 }
    expect(await readWithin(bounds)).toMatchObject({ body: 'x'.repeat(6) })
    expect(bounds.bytes).toBe(4)
    expect(bounds.milliseconds).toBeLessThan(30_000 - 10)
    expect(await readWithin(bounds)).toMatchObject({ body: 'x'.repeat(5) })
    expect(bounds.bytes).toBe(-1)
  })

  test.each([
    { milliseconds: 0, bytes: 10 },
    { milliseconds: 30_000, bytes: -1 },
  ])('is used up with %j: no request is made', async (bounds) => {
    expect(await readWithin(bounds)).toBeUndefined()
    expect(receiver.received).toEqual([])
  })

  test('is enough for a response that has as many bytes', async () => {
    receiver.behave({ status: 200, body: 'x'.repeat(10) })
    const bounds = { milliseconds: 30_000, bytes: 10 }
    expect(await readWithin(bounds)).toMatchObject({ body: 'x'.repeat(10) })
    expect(bounds.bytes).toBe(0)
  })

  test('is not used up by the text of a redirect', async () => {
    receiver.behave({ ...to('/1'), body: 'x'.repeat(100) }, { status: 200, body: 'x'.repeat(10) })
    const bounds = { milliseconds: 30_000, bytes: 10 }
    expect(await follow(receiver.url, { accept: 'text/plain', bounds, redirects: 1 })).toMatchObject({ status: 200 })
    expect(bounds.bytes).toBe(0)
  })

  test('is how long a response is waited for', async () => {
    receiver.behave('stall before the headers')
    const outcome = await readWithin({ milliseconds: 200, bytes: 10 })
    expect(outcome?.detail).toMatch(/ in 200 ms$/)
  })
})

test('a connection is waited for 2 seconds', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => {
    silent.close()
    vi.useRealTimers()
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const reading = read({}, `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(await reading).toMatchObject({ failure: 'connect', detail: 'no connection in 2000 ms' })
})
