/** The wake-up that a function sends after its commit: its caller waits, so there is one attempt, and it is short. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'

let server: Server
let requests = 0
let answer: (response: ServerResponse) => void
const lines: string[] = []

beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
  server = createServer((request, response) => {
    requests += 1
    request.resume().on('end', () => answer(response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  Object.assign(process.env, {
    LOG_LEVEL: 'debug',
    SQS_ENDPOINT: endpoint,
    WAKE_UP_QUEUE_URL: `${endpoint}/000000000000/wake-ups.fifo`,
    JOB_QUEUE_URL: `${endpoint}/000000000000/jobs`,
  })
})
beforeEach(() => {
  requests = 0
  lines.length = 0
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const wake = async () => {
  const { wakeNow } = await import('../../../lib/outbox/wake-ups/queues.ts')
  await wakeNow({ lane: 'acme|ConnectionRecord|c1', itemId: 'o1' })
  return lines.map((line) => JSON.parse(line).event)
}

test('is not repeated if the queue fails', async () => {
  answer = (response) => response.writeHead(500).end()
  expect(await wake()).toEqual(['wake_up.not_sent'])
  expect(requests).toBe(1)
})

test('is given up after its timeout, long before that of the request, if SQS does not respond', async () => {
  answer = () => undefined
  const { sqsOnce } = await import('../../../lib/outbox/wake-ups/queues.ts')
  const requestHandler = sqsOnce().config.requestHandler as unknown as { httpHandlerConfigs(): object }
  expect(requestHandler.httpHandlerConfigs()).toMatchObject({ requestTimeout: 250 })
  expect(await wake()).toEqual(['wake_up.not_sent'])
  expect(requests).toBe(1)
})

test('of a job has a longer timeout, because only the sweep would send it again', async () => {
  const { sqsOnce, wakeJobsNow } = await import('../../../lib/outbox/wake-ups/queues.ts')
  answer = (response) => void response.end('{"Successful":[]}')
  const handle = vi.spyOn(sqsOnce().config.requestHandler, 'handle')
  await wakeJobsNow(['acme|job|revocation-registry|r1'])
  expect(handle.mock.lastCall?.[1]).toEqual({ requestTimeout: 2_000 })
  expect(lines).toEqual([])
  expect(requests).toBe(1)
  // This function has no setting for the queue of removals.
  await wakeJobsNow(['acme|job|tenant-removal|acme'])
  expect(lines).toEqual([])
  expect(requests).toBe(1)
})
