/** The poster against a real receiver on loopback that fails on demand. */

import { execFile } from 'node:child_process'
import dns from 'node:dns'
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import type { LookupFunction } from 'node:net'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { isSuccess, POST_LIMITS, type Post, post } from '../../../lib/egress/post.ts'
import { certificateFor } from '../../support/webhooks/certificate.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../../support/webhooks/faulty-receiver.ts'

const run = promisify(execFile)

const LOCAL = { local: true }
/** Time enough, however busy the machine is. */
const PATIENT = { connectMs: 60 * 60_000, attemptMs: 60 * 60_000, responseBytes: 1024 }
const QUICK = { ...PATIENT, attemptMs: 500 }
const QUICK_TO_CONNECT = { ...PATIENT, connectMs: 300 }

const toLoopback: LookupFunction = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])

let receiver: FaultyReceiver
const started: FaultyReceiver[] = []
const start = async (...args: Parameters<typeof startFaultyReceiver>) => {
  const one = await startFaultyReceiver(...args)
  started.push(one)
  return one
}

const send = (changes: Partial<Post> = {}) =>
  post({
    url: `${receiver.url}/inbox`,
    headers: { 'content-type': 'text/plain' },
    body: 'hällo',
    policy: LOCAL,
    limits: PATIENT,
    ...changes,
  })

beforeEach(async () => {
  receiver = await start()
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(started.splice(0).map((one) => one.stop()))
})

test('an attempt has 3 s to connect, 15 s in all, and reads 64 KB at most, unless its sender says otherwise', () => {
  expect(POST_LIMITS).toEqual({ connectMs: 3_000, attemptMs: 15_000, responseBytes: 65_536 })
})

describe('a response', () => {
  test('of 2xx is a success, and the receiver has path, headers and every byte of the body', async () => {
    receiver.behave({ status: 202, headers: { 'retry-after': '5', 'set-cookie': 'a=b' }, body: 'thanks' })
    const outcome = await send()
    expect(outcome).toMatchObject({ status: 202, headers: { 'retry-after': '5' }, body: 'thanks' })
    expect(outcome.failure).toBeUndefined()
    expect(outcome.headers).not.toHaveProperty('set-cookie')
    expect(isSuccess(outcome)).toBe(true)
    expect(receiver.received).toMatchObject([
      { path: '/inbox', body: 'hällo', headers: { 'content-type': 'text/plain', 'content-length': '6' } },
    ])
  })

  test('leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await send()
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  test('of 2xx within the time limit is a success, and the time is measured', async () => {
    receiver.behave({ status: 200, after: 150 })
    const outcome = await send()
    expect(isSuccess(outcome)).toBe(true)
    expect(outcome.milliseconds).toBeGreaterThanOrEqual(140)
  })

  test.each([300, 400, 404, 410, 500, 503])(
    'of %i is a status, no success and no failure of the connection',
    async (status) => {
      receiver.behave({ status, body: 'no' })
      const outcome = await send()
      expect(outcome).toMatchObject({ status, body: 'no' })
      expect(outcome.failure).toBeUndefined()
      expect(isSuccess(outcome)).toBe(false)
    },
  )

  test.each(['120', 'Sun, 06 Nov 1994 08:49:37 GMT', 'soon'])(
    'of 429 returns Retry-After unchanged: %s',
    async (value) => {
      receiver.behave({ status: 429, headers: { 'retry-after': value } })
      expect(await send()).toMatchObject({ status: 429, headers: { 'retry-after': value } })
    },
  )

  test('of an unexpected 101 ends the attempt', async () => {
    receiver.behave({ status: 101, headers: { connection: 'upgrade', upgrade: 'websocket' } })
    const outcome = await send()
    expect(outcome).toMatchObject({ status: 101 })
    expect(outcome.failure).toBeUndefined()
    await expect.poll(() => receiver.open()).toBe(0)
  })

  test('of 302 to loopback is not followed', async () => {
    const other = await start()
    receiver.behave({ status: 302, headers: { location: `${other.url}/` } })
    const outcome = await send()
    expect(outcome.status).toBe(302)
    expect(isSuccess(outcome)).toBe(false)
    expect(other.connections()).toBe(0)
  })

  test('of 302 to the metadata address is not followed', async () => {
    receiver.behave({ status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' } })
    const outcome = await send()
    expect(outcome.status).toBe(302)
    expect(receiver.connections()).toBe(1)
  })
})

test('a name with several addresses is tried until one responds', async () => {
  // No server listens at ::1.
  const both: LookupFunction = (_name, _options, callback) =>
    callback(null, [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ])
  expect(await send({ url: `http://wallet.example:${receiver.port}/`, resolve: both })).toMatchObject({ status: 200 })
})

describe('a failure', () => {
  test('before the body was read is a reset', async () => {
    receiver.behave('reset before the body was read')
    expect(await send({ body: 'x'.repeat(200_000) })).toMatchObject({ failure: 'reset' })
  })

  test('after the body was read is a reset', async () => {
    receiver.behave('reset after the body was read')
    const outcome = await send()
    expect(outcome).toMatchObject({ failure: 'reset', detail: 'ECONNRESET' })
    expect(isSuccess(outcome)).toBe(false)
    expect(receiver.received).toHaveLength(1)
  })

  test('of stalling before the headers ends the attempt in its time', async () => {
    receiver.behave('stall before the headers')
    const outcome = await send({ limits: QUICK })
    expect(outcome).toMatchObject({ failure: 'timeout' })
    expect(outcome.status).toBeUndefined()
  })

  test.each([
    ['stall amid the body', 'timeout', QUICK],
    ['reset amid the body', 'reset', PATIENT],
    ['close amid the body', 'reset', PATIENT],
  ] as const)('of a %s after a 2xx is recorded, and the message counts as accepted', async (fault, failure, limits) => {
    receiver.behave(fault)
    const outcome = await send({ limits })
    expect(outcome).toMatchObject({ status: 200, body: 'the first part', failure })
    expect(isSuccess(outcome)).toBe(true)
  })

  test('of an endless body costs no more than the limit', async () => {
    receiver.behave('endless body')
    const outcome = await send()
    expect(outcome).toMatchObject({ status: 200, body: 'x'.repeat(1024) })
    await expect.poll(() => receiver.open()).toBe(0)
    // The client closes the connection: that is no failure of the host, not even afterwards.
    expect(outcome.failure).toBeUndefined()
  })

  test('of a response that is not HTTP is a broken response', async () => {
    receiver.behave('garbage')
    expect(await send()).toMatchObject({ failure: 'response', detail: expect.stringMatching(/^HPE_/) })
  })

  test('of a port without a server is a failed connection', async () => {
    await receiver.stop()
    started.splice(0)
    expect(await send()).toMatchObject({ failure: 'connect', detail: 'ECONNREFUSED' })
  })

  test('of a name that does not exist is one of DNS', async () => {
    const notFound = Object.assign(new Error('no'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' })
    const outcome = await send({
      url: 'http://wallet.example:4321/',
      resolve: (_name, _options, callback) => callback(notFound, []),
    })
    expect(outcome).toMatchObject({ failure: 'dns', detail: 'ENOTFOUND' })
  })

  test('of a name server that never responds ends with the time to connect', async () => {
    const outcome = await send({ url: 'http://wallet.example:4321/', resolve: () => {}, limits: QUICK_TO_CONNECT })
    expect(outcome).toMatchObject({ failure: 'connect' })
  })

  test('of a TLS handshake that never ends is ended with the time to connect', async () => {
    const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const outcome = await send({ url: `https://127.0.0.1:${address.port}/`, limits: QUICK_TO_CONNECT })
    silent.close()
    expect(outcome).toMatchObject({ failure: 'connect' })
  })
})

describe('the certificate', () => {
  const good = certificateFor('wallet.example')
  const toWallet = (port: number, authorities?: string) =>
    send({
      url: `https://wallet.example:${port}/`,
      resolve: toLoopback,
      ...(authorities === undefined ? {} : { authorities }),
    })

  test('of a known authority for this name is accepted', async () => {
    const secure = await start(good)
    expect(await toWallet(secure.port, good.cert)).toMatchObject({ status: 200 })
  })

  test('that is not trusted is rejected, and nothing is sent', async () => {
    const secure = await start(good)
    expect(await toWallet(secure.port)).toMatchObject({ failure: 'tls', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(secure.received).toHaveLength(0)
  })

  test('is checked even when the environment says not to', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const secure = await start(good)
    expect(await toWallet(secure.port)).toMatchObject({ failure: 'tls' })
  })

  test('for another name is rejected', async () => {
    const other = certificateFor('other.example')
    const secure = await start(other)
    expect(await toWallet(secure.port, other.cert)).toMatchObject({
      failure: 'tls',
      detail: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
    expect(secure.received).toHaveLength(0)
  })

  test('that has expired is rejected', async () => {
    const old = certificateFor('wallet.example', { expired: true })
    const secure = await start(old)
    expect(await toWallet(secure.port, old.cert)).toMatchObject({ failure: 'tls', detail: 'CERT_HAS_EXPIRED' })
  })

  test('is not received from a peer without TLS: a failed handshake', async () => {
    expect(await toWallet(receiver.port)).toMatchObject({ failure: 'tls' })
  })
})

describe('the guard', () => {
  test('rejects a URL by its form before any connection', async () => {
    expect(await send({ policy: { local: false } })).toMatchObject({ failure: 'address', detail: 'not https' })
    expect(receiver.connections()).toBe(0)
  })

  test('rejects a name with a private address before any connection', async () => {
    const outcome = await send({
      url: `https://wallet.example:${receiver.port}/`,
      policy: { local: false },
      resolve: toLoopback,
    })
    expect(outcome).toMatchObject({ failure: 'address', detail: 'wallet.example leads to loopback' })
    expect(receiver.connections()).toBe(0)
  })

  test('rejects a name to which the system’s resolver gives a private address', async () => {
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(toLoopback as typeof dns.lookup)
    syncBuiltinESMExports()
    onTestFinished(() => {
      lookup.mockRestore()
      syncBuiltinESMExports()
    })
    const outcome = await send({ url: `https://wallet.example.com:${receiver.port}/`, policy: { local: false } })
    expect(outcome).toMatchObject({ failure: 'address', detail: 'wallet.example.com leads to loopback' })
    expect(receiver.connections()).toBe(0)
  })

  test('connects to the address that it has checked: the name is resolved once', async () => {
    const answers = ['127.0.0.1', '10.0.0.1']
    let asked = 0
    const rebinding: LookupFunction = (_name, _options, callback) =>
      callback(null, [{ address: answers[asked++] ?? '10.0.0.1', family: 4 }])
    const url = `http://wallet.example:${receiver.port}/`
    expect(await send({ url, resolve: rebinding })).toMatchObject({ status: 200 })
    expect(asked).toBe(1)
    expect(await send({ url, resolve: rebinding })).toMatchObject({ failure: 'address' })
    expect(receiver.connections()).toBe(1)
  })

  test('asks no proxy, whatever the environment says', async () => {
    const proxy = await start()
    const script = `
      import { post } from ${JSON.stringify(new URL('../../../lib/egress/post.ts', import.meta.url).href)}
      const url = ${JSON.stringify(receiver.url)}
      const outcome = await post({ url, headers: {}, body: '', policy: { local: true } })
      process.stdout.write(String(outcome.status))
    `
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, http_proxy: proxy.url, NO_PROXY: '' },
    })
    expect(stdout).toBe('200')
    expect(receiver.connections()).toBe(1)
    expect(proxy.connections()).toBe(0)
  })
})
