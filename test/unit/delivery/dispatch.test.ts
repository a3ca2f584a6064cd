/** The dispatcher of the stream: which changes are repeated or parked, without blocking later ones permanently. */
import type { DynamoDBRecord } from 'aws-lambda'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { dispatchChanges } from '../../../functions/dispatch-changes.ts'
import { type DispatchOptions, dispatch as dispatchWithPauses, redriveParked } from '../../../lib/delivery/dispatch.ts'
import { PARKED_CHANGES, park, parkedChanges } from '../../../lib/delivery/parked-changes.ts'
import { committedId } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { fromRecordItem, toRecordItem } from '../../../lib/store/stored-record.ts'
import type { Item } from '../../../lib/store/table.ts'
import { pendingEvent, pendingEventItem } from '../../../lib/webhooks/event-item.ts'
import { inserted, modified } from '../../support/webhooks/changes.ts'
import { useTableAndQueues } from '../outbox/table-and-queues.ts'
import { failure } from '../store/started-table.ts'
import { outboxWith, recordItem, registrationItem, storedIn } from '../webhooks/event-scenes.ts'

const lines: string[] = []

process.env.LOG_LEVEL = 'debug'
vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
const { table, queues } = await useTableAndQueues()
await table.put({ ...registrationItem('webhook', 'active', 1), pk: { S: '@org|base' }, orgId: { S: 'base' } })
beforeEach(async () => {
  table.way = undefined
  queues.clear()
  lines.length = 0
  for await (const { remove } of parkedChanges()) await remove()
})

/** Without the pauses between the tries of a change, unless a test checks them. */
const dispatch = (changes: DynamoDBRecord[], options: DispatchOptions = {}) =>
  dispatchWithPauses(changes, { pause: async () => undefined, ...options })

let records = 0
/** A change of the base agent that is an event. */
const telling = (): DynamoDBRecord => {
  const stored = storedIn('ProofRecord', 'done')
  const id = `record-${++records}`
  return inserted(toRecordItem({ ...stored, tenant: '@base', id, value: { ...stored.value, id } }))
}
const garbled = (value = '{"secret') => inserted({ ...recordItem('ProofRecord', 'done'), content: { S: value } })
const late = (change: DynamoDBRecord, seconds = 11): DynamoDBRecord => ({
  ...change,
  dynamodb: { ...change.dynamodb, ApproximateCreationDateTime: Math.floor(Date.now() / 1000) - seconds },
})
const sequenceOf = ({ dynamodb }: DynamoDBRecord) => dynamodb?.SequenceNumber ?? ''
const idOf = ({ dynamodb }: DynamoDBRecord): unknown => fromRecordItem(dynamodb?.NewImage ?? {}).id
const parked = async () => {
  const found: string[] = []
  for await (const { sequence } of parkedChanges()) found.push(sequence)
  return found
}
const told = async () => (await table.items('@outbox|')).map((item) => pendingEventItem.decode(item).recordId)
const logged = (event: string) => lines.map((line) => JSON.parse(line)).filter((line) => line.event === event)

const refuse = (refused: string, name = 'InternalServerError') => {
  const properties = name === 'InternalServerError' ? { $fault: 'server' } : {}
  table.way = (command, send) => (command === refused ? Promise.reject(failure(name, properties)) : send())
}

test('a wake-up that the queue rejects as invalid is dropped, and the stream continues', async () => {
  const change = inserted(outboxWith())
  queues.refuse = () => true
  expect(await dispatch([change])).toBe(sequenceOf(change))
  queues.senderFault = true
  expect(await dispatch([change])).toBeUndefined()
  expect(lines.filter((line) => line.includes('wake_up.invalid'))).toHaveLength(1)
  expect(lines.map((line) => JSON.parse(line)).filter(({ WakeUpsDead }) => WakeUpsDead === 1)).toHaveLength(1)
})

describe('the insertion of a lane item', () => {
  const event = pendingEventItem.encode(
    pendingEvent(
      {
        ...{ id: 'e1', type: 'endpoint.test', orgId: 'base', endpointId: 'ep' },
        ...{ recordId: 'r1', sequence: 3, occurredAt: '2026-01-01T00:00:00.000Z', body: '{"secret":1}' },
      },
      '2026-01-01T00:00:00.000Z',
    ),
  )
  const outbox = outboxWith()

  test.each<[string, Item, string]>([
    ['a message', outbox, 'acme|ConnectionRecord|c1'],
    ['an event', event, '@outbox|base|ep|r1'],
  ])('(%s) wakes the lane once, even if the change is repeated', async (_name, item, lane) => {
    expect(await dispatch([inserted(item)])).toBeUndefined()
    expect(await dispatch([inserted(item)])).toBeUndefined()
    expect(queues.sent).toHaveLength(2)
    for (const { body, id } of queues.sent) {
      expect(body).toEqual({ lane, reason: { kind: 'committed' } })
      expect(id).toBe(committedId(lane, item.sk?.S ?? ''))
    }
    expect(JSON.stringify(queues.sent)).not.toContain('secret')
  })

  test.each<[string, DynamoDBRecord]>([
    ['an attempt at a message', modified(outbox, outboxWith({ attempts: 1 }))],
    ['a record', inserted(recordItem('DidRecord', 'x'))],
    ['something without a kind', inserted({ pk: { S: 'a' }, sk: { S: 'b' } })],
    ['an item without a sort key', inserted({ kind: { S: 'pending-event' } })],
    ['nothing', {}],
  ])('is not %s', async (_name, change) => {
    expect(await dispatch([change])).toBeUndefined()
    expect(queues.sent).toEqual([])
  })

  test('is repeated from the first change whose wake-up the queue rejects, and the queue drops the duplicates', async () => {
    const batch = Array.from({ length: 25 }, (_, index) =>
      inserted(outboxWith({ id: `o${index}`, connectionId: `c${index}` })),
    )
    queues.refuse = ({ body }) => ['acme|ConnectionRecord|c7', 'acme|ConnectionRecord|c20'].includes(String(body.lane))
    expect(await dispatch(batch)).toBe(sequenceOf(batch[7] ?? {}))
    queues.refuse = undefined
    expect(await dispatch(batch.slice(7))).toBeUndefined()
    expect(new Set(queues.sent.map(({ id }) => id)).size).toBe(25)
  })

  test('is repeated completely if SQS is unavailable', async () => {
    queues.refuse = 'down'
    const batch = [telling(), inserted(outbox), inserted(event)]
    expect(await dispatch(batch)).toBe(sequenceOf(batch[1] ?? {}))
  })
})

describe('an outage of the table', () => {
  test.each(['GetItem', 'Query', 'PutItem'])('is reported for a %s, and nothing is parked', async (command) => {
    const batch = [inserted(recordItem('DidRecord', 'x')), telling(), telling()]
    refuse(command)
    // The base agent's organization is in the settings, so no tenant is read.
    const first = command === 'GetItem' ? [] : [{ itemIdentifier: sequenceOf(batch[1] ?? {}) }]
    expect(await dispatchChanges({ Records: batch })).toEqual({ batchItemFailures: first })
    table.way = undefined
    expect(await dispatchChanges({ Records: batch.slice(1) })).toEqual({ batchItemFailures: [] })
    expect(await told()).toEqual(expect.arrayContaining(batch.slice(1).map(idOf)))
    expect(await parked()).toEqual([])
  })

  test('repeats all changes of a record from the one that it has stopped, even if it ends a moment later', async () => {
    const [one, other] = (['done', 'abandoned'] as const).map((state, index) =>
      toRecordItem({ ...storedIn('ProofRecord', state, index + 1), tenant: '@base', id: 'twice' }),
    ) as [Item, Item]
    const first = inserted(one)
    const batch = [first, modified(one, other)]
    let isOver = false
    table.way = (command, send) => {
      if (command !== 'PutItem' || isOver) return send()
      isOver = true
      return Promise.reject(failure('InternalServerError', { $fault: 'server' }))
    }
    expect(await dispatch(batch)).toBe(sequenceOf(first))
    expect(await dispatch(batch)).toBeUndefined()
    expect((await told()).filter((id) => id === 'twice')).toHaveLength(2)
  })

  test('includes a role without a permission: a mistake of a deployment parks nothing', async () => {
    const change = telling()
    refuse('Query', 'AccessDeniedException')
    expect(await dispatch([change])).toBe(sequenceOf(change))
    table.way = undefined
    expect(await parked()).toEqual([])
  })

  test('that prevents parking a bad change repeats it', async () => {
    const [bad, good] = [garbled(), telling()]
    refuse('PutItem')
    expect(await dispatch([bad, good])).toBe(sequenceOf(bad))
    table.way = undefined
    expect(await dispatch([bad, good])).toBeUndefined()
    expect(await told()).toContain(idOf(good))
    expect(await parked()).toEqual([sequenceOf(bad)])
  })
})

describe('a change that fails by itself', () => {
  /** The table rejects this number of queries as invalid, which is not an outage. */
  const failFirst = (times: number) => {
    let left = times
    table.way = (command, send) =>
      command === 'Query' && left-- > 0 ? Promise.reject(failure('ValidationException')) : send()
  }

  test.each([
    [2, false],
    [3, true],
  ])('%i times is parked: %o; it is tried three times, within a minute', async (times, isParked) => {
    const change = telling()
    const pauses: number[] = []
    const pause = async (ms: number) => pauses.push(ms)
    failFirst(times)
    expect(await dispatch([change, telling()], { pause })).toBeUndefined()
    expect(await parked()).toEqual(isParked ? expect.arrayContaining([sequenceOf(change)]) : [])
    expect(pauses).toHaveLength(2)
    expect(pauses.reduce((sum, ms) => sum + ms)).toBeLessThan(60_000)
    table.way = undefined
    if (!isParked) expect(await told()).toContain(idOf(change))
  })

  test('at first, and then because of an outage, is repeated and not parked', async () => {
    const change = telling()
    let queries = 0
    table.way = (command, send) => {
      if (command !== 'Query') return send()
      return Promise.reject(
        ++queries === 1 ? failure('ValidationException') : failure('InternalServerError', { $fault: 'server' }),
      )
    }
    expect(await dispatch([change])).toBe(sequenceOf(change))
    table.way = undefined
    expect(await parked()).toEqual([])
  })

  test('is parked with its images, and the next changes are dispatched', async () => {
    const batch = [telling(), garbled(), telling()]
    expect(await dispatch(batch)).toBeUndefined()
    expect(await told()).toEqual(expect.arrayContaining([batch[0], batch[2]].map((change) => idOf(change ?? {}))))
    for await (const { record } of parkedChanges()) expect(record).toEqual(batch[1])
    expect(await parked()).toEqual([sequenceOf(batch[1] ?? {})])
    const error = expect.stringMatching(/^a stored record is corrupt at content: /)
    const counted = { level: 'error', sequence: sequenceOf(batch[1] ?? {}), error, ChangesParked: 1 }
    expect(logged('dispatcher.change_parked')).toMatchObject([counted])
    expect(lines.join()).not.toContain('secret')
  })

  test('is parked once, even if its batch is repeated', async () => {
    const batch = [garbled(), inserted(outboxWith())]
    queues.refuse = 'down'
    expect(await dispatch(batch)).toBe(sequenceOf(batch[1] ?? {}))
    queues.refuse = undefined
    expect(await dispatch(batch)).toBeUndefined()
    expect(await parked()).toEqual([sequenceOf(batch[0] ?? {})])
  })

  test('does not block the wake-ups of other changes', async () => {
    const change = garbled()
    expect(await dispatch([change, inserted(outboxWith())])).toBeUndefined()
    expect(queues.sent).toHaveLength(1)
    expect(await parked()).toEqual([sequenceOf(change)])
  })
})

describe('a change that kills the process', () => {
  /** The invocation dies after the first request for the change. */
  const die = async (change: DynamoDBRecord): Promise<void> => {
    const death = new Promise<never>(() => {})
    const begun = new Promise<void>((resolve) => {
      table.way = async (command, send) => {
        if (command === 'UpdateItem') return send()
        resolve()
        return death
      }
    })
    dispatch([change])
    await begun
    table.way = undefined
  }

  test('is parked at its fourth try, when it arrives alone', async () => {
    const change = late(telling())
    for (let tries = 0; tries < 3; tries++) await die(change)
    expect(await parked()).toEqual([])
    expect(await dispatch([change])).toBeUndefined()
    expect(await parked()).toEqual([sequenceOf(change)])
    expect(logged('dispatcher.change_parked')).toMatchObject([{ error: 'the process died' }])
    expect(await told()).not.toContain(idOf(change))
  })

  test('is not parked if an outage ended its tries', async () => {
    const change = late(telling())
    refuse('Query')
    for (let tries = 0; tries < 6; tries++) expect(await dispatch([change])).toBe(sequenceOf(change))
    table.way = undefined
    expect(await dispatch([change])).toBeUndefined()
    expect(await told()).toContain(idOf(change))
    expect(await parked()).toEqual([])
  })

  test('is tried even if its tries cannot be counted', async () => {
    const change = late(telling())
    refuse('UpdateItem')
    for (let tries = 0; tries < 5; tries++) expect(await dispatch([change])).toBeUndefined()
    expect(await told()).toContain(idOf(change))
  })

  test('costs nothing in the normal case: changes that arrive in time, or with others, are not counted', async () => {
    table.watch()
    await dispatch([late(telling(), 1)])
    await dispatch([late(telling()), late(telling())])
    expect(table.requests).not.toContain('UpdateItem')
    await dispatch([late(telling())])
    expect(table.requests.filter((command) => command === 'UpdateItem')).toHaveLength(1)
  })
})

describe('a redrive', () => {
  test('dispatches parked changes, each event once, and removes them', async () => {
    const change = late(telling())
    const again = { ...change, dynamodb: { ...change.dynamodb, SequenceNumber: '900' } }
    for (const one of [change, again]) {
      table.way = (command, send) => (command === 'Query' ? Promise.reject(failure('ValidationException')) : send())
      expect(await dispatch([one])).toBeUndefined()
      table.way = undefined
    }
    expect(await parked()).toHaveLength(2)
    expect(await redriveParked()).toEqual({ done: 2, left: 0 })
    expect((await told()).filter((id) => id === idOf(change))).toHaveLength(1)
    expect(await parked()).toEqual([])
    expect(await table.items(PARKED_CHANGES)).toEqual([])
  })

  test('keeps a change that fails again, and continues with the next one', async () => {
    const [bad, good] = [garbled(), telling()]
    await dispatch([bad])
    table.way = (command, send) => (command === 'Query' ? Promise.reject(failure('ValidationException')) : send())
    await dispatch([good])
    table.way = undefined
    expect(await redriveParked()).toEqual({ done: 1, left: 1 })
    expect(await parked()).toEqual([sequenceOf(bad)])
    expect(await told()).toContain(idOf(good))
  })

  test('keeps all changes if SQS is unavailable', async () => {
    await park(inserted(outboxWith()))
    queues.refuse = 'down'
    expect(await redriveParked()).toEqual({ done: 0, left: 1 })
    queues.refuse = undefined
    expect(await redriveParked()).toEqual({ done: 1, left: 0 })
  })
})
