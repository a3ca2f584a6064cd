/** Dead-letter queues: the lanes of wake-ups are made due, and other messages are counted as one value. */
import { DeleteMessageBatchCommand, GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { beforeEach, expect, test, vi } from 'vitest'
import { countDeadLetters } from '../../../lib/outbox/dead-letters.ts'
import { laneItem } from '../../../lib/outbox/lanes/lane.ts'
import { sqs } from '../../../lib/outbox/wake-ups/queues.ts'
import { encodeWakeUp } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { failure } from '../store/started-table.ts'
import { useTableAndQueues } from './table-and-queues.ts'

const URLS = {
  WAKE_UP_DEAD_LETTER_QUEUE_URL: 'http://sqs.test/wake-ups-dead.fifo',
  TIMER_DEAD_LETTER_QUEUE_URL: 'http://sqs.test/timers-dead',
  JOB_DEAD_LETTER_QUEUE_URL: 'http://sqs.test/jobs-dead',
  DISPATCH_FAILURES_URL: 'http://sqs.test/failures',
}
Object.assign(process.env, URLS, { LOG_LEVEL: 'info' })

const lines: Record<string, unknown>[] = []
vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(JSON.parse(line)))
const { table } = await useTableAndQueues()

/** The messages of each queue, by its URL; a received message stays until it is deleted. */
let dead: Record<string, string[]>
let received: number
const send = async (command: unknown): Promise<object> => {
  if (command instanceof GetQueueAttributesCommand)
    return { Attributes: { ApproximateNumberOfMessages: String(dead[command.input.QueueUrl ?? '']?.length ?? 0) } }
  if (command instanceof ReceiveMessageCommand) {
    received++
    // As short polling may.
    if (!command.input.WaitTimeSeconds) return {}
    const bodies = dead[command.input.QueueUrl ?? '']?.slice(0, command.input.MaxNumberOfMessages) ?? []
    return { Messages: bodies.map((Body, index) => ({ MessageId: `m${index}`, ReceiptHandle: Body, Body })) }
  }
  if (!(command instanceof DeleteMessageBatchCommand)) throw new Error('not expected')
  const { QueueUrl = '', Entries = [] } = command.input
  const handles = Entries.map(({ ReceiptHandle }) => ReceiptHandle)
  dead[QueueUrl] = dead[QueueUrl]?.filter((body) => !handles.includes(body)) ?? []
  return {}
}

beforeEach(() => {
  vi.spyOn(sqs(), 'send').mockImplementation(send as never)
  dead = {}
  received = 0
  lines.length = 0
  table.way = undefined
})

const wakeUpOf = (lane: string) => encodeWakeUp({ lane, reason: { kind: 'committed' } })
const counted = () => lines.filter(({ event }) => event === 'outbox.dead_letters')

test('empty queues are not measured, and no message is requested', async () => {
  await countDeadLetters()
  expect(lines).toEqual([])
  expect(received).toBe(0)
})

test.each([
  [URLS.JOB_DEAD_LETTER_QUEUE_URL, 'jobs'],
  [URLS.DISPATCH_FAILURES_URL, 'dispatches'],
])('messages in %s are counted, and stay', async (url, name) => {
  dead[url] = ['one', 'two']
  await countDeadLetters()
  expect(counted()).toMatchObject([{ [name]: 2, DeadLetters: 2, alarm: 'DeadLettersAlarm', weight: 2 }])
  expect(dead[url]).toHaveLength(2)
})

test('all queues are measured as one value', async () => {
  dead = { [URLS.JOB_DEAD_LETTER_QUEUE_URL]: ['one'], [URLS.DISPATCH_FAILURES_URL]: ['two', 'three'] }
  await countDeadLetters()
  expect(counted()).toMatchObject([{ DeadLetters: 3, jobs: 1, dispatches: 2, wakeUps: 0, timers: 0 }])
})

test.each([URLS.WAKE_UP_DEAD_LETTER_QUEUE_URL, URLS.TIMER_DEAD_LETTER_QUEUE_URL])(
  'the lanes of wake-ups in %s are put into the index `due`, and the wake-ups are deleted',
  async (url) => {
    const lanes = Array.from({ length: 23 }, (_, index) => `acme|ConnectionRecord|${url.length}-${index}`)
    dead[url] = lanes.map(wakeUpOf)
    await countDeadLetters()
    expect(dead[url]).toEqual([])
    expect(received).toBe(3)
    for (const lane of lanes) expect(await table.get(laneItem.addressOf({ lane }))).toHaveProperty('dueAt')
    expect(lines.map(({ event, alarm }) => [event, alarm])).toEqual(lanes.map(() => ['wake_up.dead', 'FaultsAlarm']))
  },
)

test('one run handles at most 300 messages of a queue', async () => {
  const url = URLS.WAKE_UP_DEAD_LETTER_QUEUE_URL
  dead[url] = Array.from({ length: 301 }, (_, index) => wakeUpOf(`acme|ConnectionRecord|${index}`))
  await countDeadLetters()
  expect(dead[url]).toHaveLength(1)
})

test('messages that are counted but not received stay', async () => {
  dead[URLS.TIMER_DEAD_LETTER_QUEUE_URL] = [wakeUpOf('acme|ConnectionRecord|c1')]
  const commands: unknown[] = []
  vi.spyOn(sqs(), 'send').mockImplementation((async (command: unknown) => {
    commands.push(command)
    return command instanceof ReceiveMessageCommand ? {} : send(command)
  }) as never)
  await countDeadLetters()
  expect(counted()).toMatchObject([{ timers: 1 }])
  expect(commands.filter((command) => command instanceof DeleteMessageBatchCommand)).toEqual([])
})

test('wake-ups stay while DynamoDB is unavailable, and the sweep fails', async () => {
  const url = URLS.TIMER_DEAD_LETTER_QUEUE_URL
  dead[url] = [wakeUpOf('acme|ConnectionRecord|c1')]
  table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
  await expect(countDeadLetters()).rejects.toMatchObject({ code: 'store.unavailable' })
  expect(dead[url]).toHaveLength(1)
})

test('invisible wake-ups (received by another call) are counted', async () => {
  dead[URLS.TIMER_DEAD_LETTER_QUEUE_URL] = ['hidden']
  vi.spyOn(sqs(), 'send').mockImplementation((async (command: unknown) =>
    command instanceof ReceiveMessageCommand ? {} : send(command)) as never)
  await countDeadLetters()
  expect(counted()).toMatchObject([{ timers: 1, weight: 1 }])
})

test('receiving more messages than were counted does not reduce the count of other queues', async () => {
  dead = {
    [URLS.WAKE_UP_DEAD_LETTER_QUEUE_URL]: ['c1', 'c2', 'c3'].map((id) => wakeUpOf(`acme|ConnectionRecord|${id}`)),
    [URLS.JOB_DEAD_LETTER_QUEUE_URL]: ['one'],
  }
  vi.spyOn(sqs(), 'send').mockImplementation((async (command: unknown) =>
    command instanceof GetQueueAttributesCommand
      ? { Attributes: { ApproximateNumberOfMessages: dead[command.input.QueueUrl ?? '']?.length ? '1' : '0' } }
      : send(command)) as never)
  await countDeadLetters()
  expect(counted()).toMatchObject([{ wakeUps: 0, jobs: 1, DeadLetters: 1, weight: 1 }])
})
