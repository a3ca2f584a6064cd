/** Delayed wake-ups are forwarded, and the lanes of permanently failed ones are put into the index `due`. */
import type { SQSRecord } from 'aws-lambda'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { wake } from '../../../functions/wake.ts'
import { destinationItem } from '../../../lib/outbox/destinations/destination.ts'
import { laneItem } from '../../../lib/outbox/lanes/lane.ts'
import { recover } from '../../../lib/outbox/timer.ts'
import { wakeLanes, wakeLater } from '../../../lib/outbox/wake-ups/queues.ts'
import { encodeWakeUp, messageGroupOf, type WakeUp } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { dueFor } from '../../../lib/store/due.ts'
import { failure } from '../store/started-table.ts'
import { useTableAndQueues } from './table-and-queues.ts'

const lines: string[] = []

vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
process.env.LOG_LEVEL = 'debug'
const { table, queues } = await useTableAndQueues()
beforeEach(() => {
  table.way = undefined
  queues.clear()
  lines.length = 0
})

const recordOf = (messageId: string, wakeUp: WakeUp | string) =>
  ({ messageId, body: typeof wakeUp === 'string' ? wakeUp : encodeWakeUp(wakeUp) }) as SQSRecord
const due = (lane: string, at = 1): WakeUp => ({ lane, reason: { kind: 'due', at } })
const failedOf = async (...Records: SQSRecord[]) =>
  (await wake({ Records })).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
const laneState = async (lane: string) => {
  const item = await table.get(laneItem.addressOf({ lane }))
  return item && laneItem.decode(item)
}
const destinationState = async (destination: string) => {
  const item = await table.get(destinationItem.addressOf({ destination }))
  return item && destinationItem.decode(item)
}
const events = () => lines.map((line) => JSON.parse(line).event)

test('a wake-up is delayed by a minute at most: the sweep sends those with a longer delay', async () => {
  const wakeUp = due('acme|ConnectionRecord|c1')
  for (const delay of [-1, 59_001, 60_000, 60_001]) await wakeLater(wakeUp, delay)
  expect(queues.sent).toMatchObject([0, 60, 60].map((delay) => ({ queue: 'timers', body: wakeUp, delay })))
})

describe('a wake-up whose delay is over', () => {
  test('is forwarded unchanged to the fast queue', async () => {
    const wakeUp = due('acme|ConnectionRecord|c1', 5)
    expect(await failedOf(recordOf('m1', wakeUp))).toEqual([])
    expect(queues.sent).toMatchObject([{ queue: 'wake-ups.fifo', body: wakeUp }])
  })

  test('that arrives twice has one id, so that the queue drops the second one; one with another time has another id', async () => {
    await failedOf(recordOf('m1', due('acme|ConnectionRecord|c1')), recordOf('m2', due('acme|ConnectionRecord|c1')))
    await failedOf(recordOf('m3', due('acme|ConnectionRecord|c1', 2)))
    const [first, second, third] = queues.sent.map(({ id }) => id)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })

  test('is repeated if the queue rejects it, without the others', async () => {
    queues.refuse = ({ body }) => body.lane === 'acme|ConnectionRecord|c2'
    const records = ['c1', 'c2', 'c3'].map((id) => recordOf(id, due(`acme|ConnectionRecord|${id}`)))
    expect(await failedOf(...records)).toEqual(['c2'])
  })

  test.each(['', '{}', '{"lane":"a","reason":{"kind":"due"}}'])(
    'that is invalid is dropped with a log line: %s',
    async (body) => {
      expect(await failedOf(recordOf('m1', body))).toEqual([])
      expect(events()).toEqual(['wake_up.malformed'])
    },
  )

  test('of a destination that is not due at that time does nothing', async () => {
    const destination = 'https://due-later.example'
    await table.put(destinationItem.encode({ destination, version: 1, ...dueFor(destination, 50) }))
    expect(await failedOf(recordOf('m1', { destination, at: 49 }))).toEqual([])
    expect(await destinationState(destination)).toMatchObject({ version: 1, dueAt: 50 })
    expect(queues.sent).toEqual([])
  })

  test('of a destination without waiting lanes removes it from the index', async () => {
    const destination = 'https://open.example'
    await table.put(destinationItem.encode({ destination, version: 1, ...dueFor(destination, 50) }))
    expect(await failedOf(recordOf('m1', { destination, at: 50 }))).toEqual([])
    expect(await destinationState(destination)).not.toHaveProperty('dueAt')
  })

  test('of a destination is repeated while DynamoDB is unavailable', async () => {
    table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
    expect(await failedOf(recordOf('m1', { destination: 'https://a.example', at: 1 }))).toEqual(['m1'])
    expect(events()).toContain('wake_up.failed')
  })
})

describe('a wake-up that failed permanently', () => {
  test('puts its lane into the index, due in a minute', async () => {
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now })
    onTestFinished(() => void vi.useRealTimers())
    await recover([recordOf('m1', { lane: 'acme|ConnectionRecord|lost', reason: { kind: 'committed' } })])
    expect(await laneState('acme|ConnectionRecord|lost')).toMatchObject({ dueAt: now + 60_000 })
    expect(events()).toContain('wake_up.dead')
  })

  test('does not change a lane that is in the index already', async () => {
    const lane = 'acme|ConnectionRecord|waits'
    await table.put(laneItem.encode({ lane, failures: 3, ...dueFor(lane, 7) }))
    await recover([recordOf('m1', due(lane))])
    expect(await laneState(lane)).toMatchObject({ failures: 3, dueAt: 7 })
  })

  test('makes a lane that was handed over due in a minute, instead of a quarter of an hour', async () => {
    const lane = 'acme|ConnectionRecord|handed-over'
    const now = Date.now()
    await table.put(laneItem.encode({ lane, waiting: 'slow|lease', ...dueFor(lane, now + 15 * 60_000) }))
    await recover([recordOf('m1', { lane, reason: { kind: 'released', waiting: 'slow|lease' } })])
    expect((await laneState(lane))?.dueAt).toBeLessThan(now + 70_000)
  })

  test('puts its destination into the index', async () => {
    await recover([recordOf('m1', { destination: 'https://lost.example', at: 1 })])
    expect((await destinationState('https://lost.example'))?.dueAt).toBeGreaterThan(Date.now() - 60_000)
  })

  test('that is invalid is dropped, and the next ones are handled', async () => {
    await recover([recordOf('m1', 'x'), recordOf('m2', due('acme|ConnectionRecord|behind'))])
    expect(await laneState('acme|ConnectionRecord|behind')).toMatchObject({ dueAt: expect.any(Number) })
  })

  test('is repeated while DynamoDB is unavailable', async () => {
    table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
    await expect(recover([recordOf('m1', due('acme|ConnectionRecord|c1'))])).rejects.toMatchObject({
      code: 'store.unavailable',
    })
  })
})

test.each([
  ['fast', 'wake-ups.fifo'],
  ['slow', 'slow-wake-ups.fifo'],
  ['released', 'slow-wake-ups.fifo'],
] as const)('lanes of the bulkhead %s go to the queue %s, in groups of that bulkhead', async (bulkhead, queue) => {
  const lane = 'acme|ConnectionRecord|c1'
  expect(await wakeLanes([{ lane, reason: { kind: 'released', waiting: 'w' } }], bulkhead)).toEqual([true])
  expect(queues.sent).toMatchObject([{ queue, group: messageGroupOf(lane, bulkhead) }])
})
