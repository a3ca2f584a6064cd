/** A batch of a FIFO queue: what is tried, what waits, what comes back. */
import type { SQSRecord } from 'aws-lambda'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { deliverGroups, type GroupDelivery, type Verdict } from '../../../lib/delivery/deliver-groups.ts'

const record = (messageId: string, attempt = 1): SQSRecord => ({
  messageId,
  receiptHandle: `handle ${messageId}`,
  body: '',
  attributes: {
    ApproximateReceiveCount: String(attempt),
    SentTimestamp: '0',
    SenderId: '',
    ApproximateFirstReceiveTimestamp: '0',
    // The first letter is the group.
    MessageGroupId: messageId.slice(0, 1),
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: '',
  awsRegion: '',
})

let delivered: string[]
let hidden: [string[], number][]

/** Delivers messages; those named in `verdicts` end otherwise. */
const run = (ids: string[], verdicts: Record<string, Verdict | Error> = {}, changes: Partial<GroupDelivery> = {}) =>
  deliverGroups(
    ids.map((id) => record(id)),
    {
      deliver: async ({ messageId }) => {
        delivered.push(messageId)
        const verdict = verdicts[messageId] ?? { kind: 'done' }
        if (verdict instanceof Error) throw verdict
        return verdict
      },
      hide: async (handles, seconds) => {
        hidden.push([handles, seconds])
      },
      secondsAfterFault: () => 9,
      startUntil: Number.POSITIVE_INFINITY,
      ...changes,
    },
  )

beforeEach(() => {
  delivered = []
  hidden = []
})

describe('a batch', () => {
  test('should be done when all is done', async () => {
    expect(await run(['a1', 'b1', 'a2'])).toEqual([])
    expect(delivered.toSorted()).toEqual(['a1', 'a2', 'b1'])
    expect(hidden).toEqual([])
  })

  test('should go in order within a group', async () => {
    await run(['a1', 'b1', 'a2', 'b2', 'a3'])
    expect(delivered.filter((id) => id.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
  })

  test('should not let one group wait for another', async () => {
    const slow = Promise.withResolvers<Verdict>()
    const batch = run(
      ['a1', 'b1', 'b2'],
      {},
      {
        deliver: async ({ messageId }) => {
          delivered.push(messageId)
          return messageId === 'a1' ? slow.promise : { kind: 'done' }
        },
      },
    )
    await vi.waitFor(() => expect(delivered).toEqual(['a1', 'b1', 'b2']))
    slow.resolve({ kind: 'done' })
    expect(await batch).toEqual([])
  })
})

describe('a message that failed', () => {
  test('should hold back the rest of its group, untried, until its own time', async () => {
    expect(await run(['a1', 'a2', 'b1', 'a3'], { a2: { kind: 'later', seconds: 5 } })).toEqual(['a2', 'a3'])
    expect(delivered).not.toContain('a3')
    expect(hidden).toEqual([[['handle a2', 'handle a3'], 5]])
  })

  test('should wait by the plan when it was our own fault', async () => {
    expect(await run(['a1', 'a2'], { a1: new Error('the table does not answer') })).toEqual(['a1', 'a2'])
    expect(hidden).toEqual([[['handle a1', 'handle a2'], 9]])
  })

  test('should come back at once and let its group go on when its plan is used up', async () => {
    expect(await run(['a1', 'a2', 'a3'], { a1: { kind: 'spent' } })).toEqual(['a1'])
    expect(delivered).toEqual(['a1', 'a2', 'a3'])
    expect(hidden).toEqual([[['handle a1'], 0]])
  })

  test('should be told apart from one that is spent in the same group', async () => {
    const failed = await run(['a1', 'a2', 'a3'], { a1: { kind: 'spent' }, a2: { kind: 'later', seconds: 5 } })
    expect(failed).toEqual(['a1', 'a2', 'a3'])
    expect(hidden).toEqual([
      [['handle a2', 'handle a3'], 5],
      [['handle a1'], 0],
    ])
  })
})

describe('a function whose time ends', () => {
  test('should start one message of each group and give the rest back at once', async () => {
    expect(await run(['a1', 'a2', 'a3', 'b1'], {}, { startUntil: 0 })).toEqual(['a2', 'a3'])
    expect(delivered).toEqual(['a1', 'b1'])
    expect(hidden).toEqual([[['handle a2', 'handle a3'], 0]])
  })
})

test('the attempt is the number of receipts', async () => {
  const attempts: number[] = []
  await deliverGroups([record('a1', 7)], {
    deliver: async (_record, attempt) => {
      attempts.push(attempt)
      return { kind: 'done' }
    },
    hide: async () => {},
    secondsAfterFault: () => 0,
    startUntil: Number.POSITIVE_INFINITY,
  })
  expect(attempts).toEqual([7])
})
