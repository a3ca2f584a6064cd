/**
 * The handler of the SDK's requests: connections are reused, waits have timeouts, and errors have the names that are
 * retried.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { leanRequestHandler } from '../../../lib/store/lean-client.ts'
import { certificateFor } from '../../support/webhooks/certificate.ts'

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n'
const RESPONSE = `${HEAD}\r\nbody`
/** Long enough for an immediate response, on a busy machine too. */
const PATIENCE = { connectionTimeout: 20_000, requestTimeout: 20_000 }
const IMPATIENCE = { connectionTimeout: 20_000, requestTimeout: 200 }

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** Serves each request, the first one with number 1, by its text. */
const serve = async (answer: (socket: Socket, request: string, number: number) => void, tls?: object) => {
  const sockets: Socket[] = []
  let requests = 0
  const accept = (socket: Socket): void => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => answer(socket, chunk.toString('latin1'), ++requests))
  }
  const server: Server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept)
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { sockets, port, count: () => requests }
}

const handlerOf = (...options: Parameters<typeof leanRequestHandler>) => {
  const handler = leanRequestHandler(...options)
  stops.push(() => handler.destroy())
  return handler
}

const requestTo = (port: number, protocol = 'http:', hostname = '127.0.0.1') => ({
  ...{ protocol, hostname, port, method: 'POST', path: '/', headers: { host: hostname, 'content-length': '3' } },
  body: new Uint8Array([97, 98, 99]),
})

const textOf = ({ response }: { response: { body: Uint8Array } }) => Buffer.from(response.body).toString()

describe('a request', () => {
  test('should be sent unchanged, and its response be one buffer', async () => {
    let seen = ''
    const { port } = await serve((socket, request) => {
      seen = request
      socket.write(RESPONSE)
    })
    const { response } = await handlerOf(PATIENCE).handle(requestTo(port))
    expect(seen).toBe('POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 3\r\nConnection: keep-alive\r\n\r\nabc')
    expect({ ...response, body: String(response.body) }).toEqual({
      ...{ statusCode: 200, headers: { 'content-length': '4' }, body: 'body' },
    })
  })

  test('should take the connection of the one before it, unless that is closed', async () => {
    const { port, sockets } = await serve((socket, _, number) =>
      socket.write(number === 2 ? `${HEAD}connection: close\r\n\r\nbody` : RESPONSE),
    )
    const handler = handlerOf(PATIENCE)
    for (const connections of [1, 1, 2]) {
      expect(textOf(await handler.handle(requestTo(port)))).toBe('body')
      expect(sockets).toHaveLength(connections)
    }
  })

  test('should leave no timer, whether its connection was made for it or not', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { port, sockets } = await serve((socket) => socket.write(RESPONSE))
    const handler = handlerOf(PATIENCE)
    for (let request = 0; request < 2; request++) {
      await handler.handle(requestTo(port))
      expect(vi.getTimerCount()).toBe(0)
    }
    expect(sockets).toHaveLength(1)
  })

  test('should have a separate connection while other requests run, of 50 at most', async () => {
    const waiting: Socket[] = []
    const { port, sockets } = await serve((socket, _, number) => {
      waiting.push(socket)
      if (number === 50) for (const one of waiting) one.write(RESPONSE)
      if (number > 50) socket.write(RESPONSE)
    })
    const handler = handlerOf(PATIENCE)
    const all = await Promise.all(Array.from({ length: 60 }, () => handler.handle(requestTo(port))))
    expect(all.map(textOf)).toEqual(Array(60).fill('body'))
    expect(sockets).toHaveLength(50)
  })
})

const TIMEOUT = { name: 'TimeoutError', code: 'ETIMEDOUT' }
const BROKEN = { name: 'TimeoutError', code: 'ECONNRESET' }

describe('a request fails', () => {
  const half = `${HEAD}\r\nbo`
  test.each<[string, object, (socket: Socket) => void, object]>([
    ['that is never answered', IMPATIENCE, () => {}, TIMEOUT],
    ['whose response stops', IMPATIENCE, (socket) => socket.write(half), TIMEOUT],
    ['whose connection is reset', PATIENCE, (socket) => socket.resetAndDestroy(), BROKEN],
    ['whose connection is closed', PATIENCE, (socket) => socket.end(), BROKEN],
    ['whose response breaks off', PATIENCE, (socket) => socket.end(half), BROKEN],
    ['whose response is something else', PATIENCE, (socket) => socket.end('no\r\n\r\n'), { code: /^HPE_/ }],
  ])('%s', async (_, timeouts, answer, expected) => {
    const { port } = await serve(answer)
    const error = await handlerOf({ ...PATIENCE, ...timeouts })
      .handle(requestTo(port))
      .catch((caught) => caught)
    expect(error).toBeInstanceOf(Error)
    const { code, ...rest } = { code: '', ...expected }
    expect(error).toMatchObject(rest)
    expect(error.code).toMatch(code)
  })

  test('once, where several connections that are kept were lost at the same time', async () => {
    const waiting: Socket[] = []
    const { port, sockets } = await serve((socket, _, number) => {
      if (number > 3) return sockets.indexOf(socket) < 3 ? socket.resetAndDestroy() : socket.write(RESPONSE)
      waiting.push(socket)
      if (number === 3) for (const one of waiting) one.write(RESPONSE)
    })
    const handler = handlerOf(PATIENCE)
    await Promise.all([1, 2, 3].map(() => handler.handle(requestTo(port))))
    await expect(handler.handle(requestTo(port))).rejects.toMatchObject(BROKEN)
    expect(textOf(await handler.handle(requestTo(port)))).toBe('body')
  })

  test('whose response comes byte by byte for longer than it is waited for', async () => {
    const { port } = await serve(async (socket) => {
      socket.write(`${HEAD.replace('4', '1000')}\r\n`)
      for (let sent = 0; sent < 1_000 && !socket.destroyed; sent++) {
        socket.write('x')
        await delay(10)
      }
    })
    await expect(handlerOf(IMPATIENCE).handle(requestTo(port))).rejects.toMatchObject(TIMEOUT)
  })

  test.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])('as a timeout where Node says %s', async (code) => {
    const lookup = (_host: string, _options: object, done: (error: Error, address: string, family: number) => void) =>
      done(Object.assign(new Error('broken'), { code }), '', 4)
    const handler = handlerOf(PATIENCE, { lookup })
    await expect(handler.handle(requestTo(1, 'https:', 'localhost'))).rejects.toMatchObject({
      name: 'TimeoutError',
      code,
    })
  })

  test('that gets no connection', async () => {
    const handler = handlerOf({ ...PATIENCE, connectionTimeout: 50 }, { lookup: () => undefined })
    const failed = { ...TIMEOUT, message: 'no connection within 50 ms' }
    await expect(handler.handle(requestTo(1, 'https:', 'localhost'))).rejects.toMatchObject(failed)
  })

  test('whose response is larger than any of DynamoDB', async () => {
    const { port } = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${2 ** 26}\r\n\r\n`)
      socket.write(Buffer.alloc(2 ** 25 + 1))
    })
    await expect(handlerOf(PATIENCE).handle(requestTo(port))).rejects.toThrow('more than 33554432 bytes')
  })

  test('if no server listens', async () => {
    const { port } = await serve(() => {})
    for (const stop of stops.splice(0)) stop()
    await expect(handlerOf(PATIENCE).handle(requestTo(port))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('that was aborted: before it, without a response, and amid one', async () => {
    const abortion = [new AbortController(), new AbortController(), new AbortController()]
    abortion[0]?.abort()
    const { port, count } = await serve((socket, _, number) => {
      if (number === 1) abortion[1]?.abort()
      else socket.write(half, () => setImmediate(() => abortion[2]?.abort()))
    })
    const handler = handlerOf(PATIENCE)
    for (const { signal } of abortion)
      await expect(handler.handle(requestTo(port), { abortSignal: signal })).rejects.toMatchObject({
        name: 'AbortError',
      })
    expect(count()).toBe(2)
  })

  test('and the next one has a new connection, without late data', async () => {
    const { port, sockets } = await serve((socket, _, number) => {
      if (number === 2) socket.write(RESPONSE)
    })
    const handler = handlerOf(PATIENCE)
    await expect(handler.handle(requestTo(port), { requestTimeout: 100 })).rejects.toMatchObject(TIMEOUT)
    sockets[0]?.write(RESPONSE.replace('body', 'late'))
    expect(textOf(await handler.handle(requestTo(port)))).toBe('body')
    expect(sockets).toHaveLength(2)
  })
})

test('bytes that come after a response are taken for no other', async () => {
  const { port, sockets } = await serve((socket) => socket.write(RESPONSE))
  const handler = handlerOf(PATIENCE)
  await handler.handle(requestTo(port))
  const [first] = sockets
  if (first === undefined) throw new Error('there was no connection')
  const closed = once(first, 'close')
  first.write(RESPONSE.replace('body', 'evil'))
  await closed
  expect(textOf(await handler.handle(requestTo(port)))).toBe('body')
  expect(sockets).toHaveLength(2)
})

describe('over TLS, a request', () => {
  const certificate = certificateFor('localhost')
  const answer = (socket: Socket) => socket.write(RESPONSE)

  test('should be sent to a host whose certificate is trusted', async () => {
    const { port } = await serve(answer, certificate)
    const handler = handlerOf(PATIENCE, { ca: certificate.cert })
    for (const _ of [1, 2]) expect(textOf(await handler.handle(requestTo(port, 'https:', 'localhost')))).toBe('body')
  })

  test('should not be sent to a host with a self-signed certificate, or one for another name', async () => {
    const { port, count } = await serve(answer, certificate)
    const untrusting = handlerOf(PATIENCE).handle(requestTo(port, 'https:', 'localhost'))
    await expect(untrusting).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    const another = handlerOf(PATIENCE, { ca: certificate.cert }).handle(requestTo(port, 'https:', '127.0.0.1'))
    await expect(another).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    expect(count()).toBe(0)
  })
})
