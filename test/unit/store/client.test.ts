/** Waits for the table are bounded, whatever it does: nothing at all, half an answer, or no connection. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dynamodb } from '../../../lib/store/client.ts'
import { getItem } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { newRecord } from './records.ts'

/** Three attempts of 2 s each, the SDK's pauses between them, and a machine that is busy. */
const MAX_WAIT = 3 * 2_000 + 2_000

/** What the table does, by a word in the request. */
const BEHAVIOURS: Record<string, (socket: Socket) => void> = {
  silent: () => {},
  half: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"Item":'),
  reset: (socket) => socket.resetAndDestroy(),
  broken: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"Item":', () => socket.destroy()),
  garbage: (socket) => socket.end('this is not HTTP\r\n\r\n'),
  busy: (socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 6\r\n\r\n<html>'),
}

let server: Server
const sockets: Socket[] = []
const asked: string[] = []

const serve = (socket: Socket): void => {
  let request = ''
  sockets.push(socket)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    request += chunk
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

const read = (behaviour: string) => getItem({ pk: behaviour, sk: '-' })
const write = (behaviour: string) =>
  transaction(behaviour, async (unit) => unit.insert(newRecord({ tenant: behaviour })))

/** Waits until it is store.unavailable; says how long that took, in ms. */
const refused = async (wait: Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await expect(wait).rejects.toMatchObject({ code: 'store.unavailable' })
  return performance.now() - start
}

test('a request takes the steps of the SDK that it needs, and no others', () => {
  const steps = dynamodb().middlewareStack.identify()
  expect(steps.map((step) => step.replace(/Middleware.*/, ''))).toEqual([
    'serializer',
    'contentLength',
    'hostHeader',
    'retry',
    'httpSigning',
    'deserializer',
  ])
})

describe.concurrent('a table', () => {
  test.each(['reset', 'broken', 'garbage', 'busy'])(
    'that fails at once (%s) should be told as fast',
    async (behaviour) => {
      expect(await refused(read(behaviour))).toBeLessThan(2_000)
      expect(asked.filter((name) => name === behaviour).length).toBeLessThanOrEqual(3)
    },
  )

  test('that never answers should be asked three times, and not be waited for any longer', async () => {
    const [reading, writing] = await Promise.all([refused(read('silent')), refused(write('silent'))])
    for (const time of [reading, writing]) {
      expect(time).toBeGreaterThan(5_900)
      expect(time).toBeLessThan(MAX_WAIT)
    }
    expect(asked.filter((behaviour) => behaviour === 'silent')).toHaveLength(6)
  })

  test('that falls silent amid its answer should not be waited for any longer either', async () => {
    expect(await refused(read('half'))).toBeLessThan(MAX_WAIT)
  })
})

test('a table that is not there should be store.unavailable', async () => {
  server.close()
  for (const socket of sockets) socket.destroy()
  await refused(read('silent'))
})
