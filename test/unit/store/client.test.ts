/** Requests to DynamoDB have timeouts: without a response, with half a response, or without a connection. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { dynamodb } from '../../../lib/store/client.ts'
import { LAYOUT_ITEM, LAYOUT_KEY } from '../../../lib/store/layout.ts'
import { getItem } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { newRecord } from './records.ts'

const answer = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: ${body.length}\r\n\r\n${body}`

/** Connections that have had a response. */
const kept = new WeakSet<Socket>()

/** What the table does, by a word in the request. */
const BEHAVIOURS: Record<string, (socket: Socket) => void> = {
  silent: () => {},
  half: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"Item":'),
  reset: (socket) => socket.resetAndDestroy(),
  broken: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"Item":', () => socket.destroy()),
  garbage: (socket) => socket.end('this is not HTTP\r\n\r\n'),
  flaky: (socket) => socket.write(answer(asked.length > 1 ? '200 OK' : '500 Internal Server Error', '{}')),
  unknown: (socket) => socket.write(answer('400 Bad Request', '{"__type":"x#ResourceNotFoundException"}')),
  stale: (socket) => {
    if (kept.has(socket)) socket.resetAndDestroy()
    else socket.write(answer('200 OK', '{}'))
    kept.add(socket)
  },
  busy: (socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 6\r\n\r\n<html>'),
}

let server: Server
const sockets: Socket[] = []
const asked: string[] = []
const layoutReads: string[] = []
const lines: object[] = []

process.env.LOG_LEVEL = 'warn'
vi.spyOn(console, 'log').mockImplementation((line) => lines.push(JSON.parse(line)))

/** The response to a reading of the version of the table's layout, which is not what is tested here. */
const layout = JSON.stringify({ Item: LAYOUT_ITEM })
const LAYOUT = `HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: ${layout.length}\r\n\r\n${layout}`

const serve = (socket: Socket): void => {
  let request = ''
  sockets.push(socket)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    request += chunk
    if (request.includes(`"${LAYOUT_KEY.pk.S}"`)) {
      layoutReads.push(request)
      request = ''
      socket.write(LAYOUT)
      return
    }
    const behaviour = Object.keys(BEHAVIOURS).find((name) => request.includes(`"${name}`))
    if (behaviour === undefined) return
    request = ''
    asked.push(behaviour)
    BEHAVIOURS[behaviour]?.(socket)
  })
}

beforeAll(async () => {
  server = createServer(serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.env.DYNAMODB_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  dynamodb().destroy()
  for (const socket of sockets) socket.destroy()
  server.close()
})

const read = (behaviour: string) => getItem({ pk: behaviour, sk: '~' })
const write = (behaviour: string) =>
  transaction(behaviour, async (unit) => unit.insert(newRecord({ tenant: behaviour })))

const refused = (wait: Promise<unknown>) => expect(wait).rejects.toMatchObject({ code: 'store.unavailable' })

test('a request is waited for 2 s, three times', async () => {
  const { maxAttempts } = dynamodb().config
  const requestHandler = dynamodb().config.requestHandler as unknown as { httpHandlerConfigs(): object }
  expect(await maxAttempts()).toBe(3)
  expect(requestHandler.httpHandlerConfigs()).toEqual({ connectionTimeout: 1_000, requestTimeout: 2_000 })
})

test('a request runs only the middleware of the SDK that it needs', () => {
  const steps = dynamodb().middlewareStack.identify()
  expect(steps.map((step) => step.replace(/(Middleware| - ).*/, ''))).toEqual([
    'layout',
    'counted',
    'serializer',
    'contentLength',
    'hostHeader',
    'retry',
    'httpSigning',
    'deserializer',
  ])
})

describe('a request', () => {
  beforeEach(() => {
    asked.length = 0
  })

  test('should be retried after an error of AWS, and succeed', async () => {
    expect(await read('flaky')).toBeUndefined()
    expect(asked).toEqual(['flaky', 'flaky'])
  })

  test('should be repeated where its kept connection has been closed, on another one', async () => {
    expect(await read('stale')).toBeUndefined()
    expect(await read('stale')).toBeUndefined()
    expect(asked).toEqual(['stale', 'stale', 'stale'])
  })

  test('should be counted once if all retries fail, and not if DynamoDB rejects it', async () => {
    lines.length = 0
    await refused(read('reset'))
    await expect(read('unknown')).rejects.toThrow()
    expect(lines).toMatchObject([{ event: 'store.failed', command: 'GetItemCommand', StoreFaults: 1 }])
  })

  test('should come after a strongly consistent read of the version of the layout', async () => {
    await read('unknown').catch(() => undefined)
    expect(layoutReads).toEqual([expect.stringContaining('"ConsistentRead":true')])
  })

  test('should not be repeated where the table rejects it', async () => {
    await expect(read('unknown')).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
    expect(asked).toEqual(['unknown'])
  })
})

describe.concurrent('a table', () => {
  test.each(['reset', 'broken', 'garbage', 'busy'])(
    'that fails at once (%s) should be asked three times at most',
    async (behaviour) => {
      await refused(read(behaviour))
      expect(asked.filter((name) => name === behaviour).length).toBeLessThanOrEqual(3)
    },
  )

  test('that never responds should be tried three times, and end by timeout', async () => {
    await Promise.all([refused(read('silent')), refused(write('silent'))])
    expect(asked.filter((behaviour) => behaviour === 'silent')).toHaveLength(6)
  })

  test('that stops within its response should also end by timeout', async () => {
    await refused(read('half'))
    expect(asked.filter((behaviour) => behaviour === 'half')).toHaveLength(3)
  })
})

test('a table that is not there should be store.unavailable', async () => {
  server.close()
  for (const socket of sockets) socket.destroy()
  await refused(read('silent'))
})
