/** A redrive of messages: those that were given up since a time are put back into their lanes, once, with their history. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { redrive, redriveArguments } from '../../../infra/redrive.ts'
import { MESSAGE_PLAN } from '../../../lib/outbox/lanes/retry-plan.ts'
import { messageLaneContents } from '../../../lib/outbox/message-lane.ts'
import { type OutboxItem, outboxItem, outcomeItem } from '../../../lib/outbox/messages/message-item.ts'
import { redriveMessages } from '../../../lib/outbox/redrive.ts'
import { laneAddress, messageLane } from '../../../lib/outbox/wake-ups/keys.ts'
import { dynamodb } from '../../../lib/store/client.ts'
import { fromRecordItem, toRecordItem } from '../../../lib/store/stored-record.ts'
import { addressOf } from '../../../lib/store/table.ts'
import { removeIf, transact } from '../../../lib/store/write.ts'
import { factsOf } from '../../../lib/webhooks/facts.ts'
import { modified } from '../../support/webhooks/changes.ts'
import { storedRecord } from '../store/records.ts'
import { failure } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'

const NOW = Date.parse('2026-11-22T12:00:00.000Z')
const at = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString()

const table = await useTable({ memory: true, check: false })

beforeEach(async () => {
  table.way = undefined
  for (const { pk, sk } of await table.items()) await removeIf({ pk: pk?.S ?? '', sk: sk?.S ?? '' })
})

const messageOf = (id: string): OutboxItem => ({
  ...{ tenant: 'acme', connectionId: 'c1', id, taken: 1, attempts: 290, lastError: 'connect', createdAt: at(-26) },
  messages: ['one', 'two'].map((payload) => ({ endpoint: 'https://wallet.example', payload })),
  basicMessages: [{ id: `message-${id}`, createdAt: at(-26) }],
})
const failed = async (id: string, endedAt: string, changes: Partial<OutboxItem> = {}) => {
  const expiresAt = Math.floor(Date.now() / 1000) + 3600
  const item = outcomeItem.encode({ ...messageOf(id), ...changes, endedAt, expiresAt })
  await table.put(item)
  return item
}
const waiting = async () => (await table.items('acme|ConnectionRecord|')).map((item) => outboxItem.decode(item))
const outcomes = async () => (await table.items('acme|delivery|')).map((item) => outcomeItem.decode(item).id)

test('messages that were given up then or later are put back unchanged, earlier ones stay', async () => {
  await failed('1', at(-3))
  await failed('2', at(-2))
  await failed('3', at(-1))
  expect(await redriveMessages(at(-2), NOW)).toBe(2)
  const expected = ['2', '3'].map((id) => ({ ...messageOf(id), pendingSince: at(0) }))
  expect(await waiting()).toEqual(expected)
  expect(await outcomes()).toEqual(['1'])
  expect(await table.check()).toEqual([])
})

test('expired items are ignored, even if the table still has them', async () => {
  await table.put({ ...(await failed('1', at(-1))), expiresAt: { N: '1' } })
  expect(await redriveMessages(at(-2), NOW)).toBe(0)
})

test('messages that were packed for a DID are put back into the lane of that DID', async () => {
  await failed('1', at(-1), { did: 'digest' })
  expect(await redriveMessages(at(-2), NOW)).toBe(1)
  expect(await messageLaneContents('acme|ConnectionRecord|c1|digest')?.read(NOW)).toMatchObject({
    items: [{ item: { id: '1' } }],
  })
  expect(await messageLaneContents('acme|ConnectionRecord|c1')?.read(NOW)).toMatchObject({ items: [] })
})

test('a message is sent before later ones, and messages that the wallet has accepted are not sent again', async () => {
  await failed('0190', at(-1))
  await table.put(outboxItem.encode({ ...messageOf('0191'), attempts: 0, taken: 0, createdAt: at(0) }))
  await redriveMessages(at(-2), NOW)
  const { items } = (await messageLaneContents('acme|ConnectionRecord|c1')?.read(NOW)) ?? { items: [] }
  expect(items.map(({ item, index }) => [item.id, index])).toEqual([
    ['0190', 1],
    ['0191', 0],
    ['0191', 1],
  ])
})

test('corrupt items are not redriven: there is nothing to send', async () => {
  const corrupt = {
    ...messageOf('9'),
    messages: [],
    endedAt: at(0),
    expiresAt: 9_999_999_999,
  }
  await table.put(outcomeItem.encode(corrupt))
  expect(await redriveMessages(at(-2), NOW)).toBe(0)
  expect(await outcomes()).toEqual(['9'])
})

test('its retry plan restarts, and lasts for a day', async () => {
  await failed('1', at(-1))
  await redriveMessages(at(-2), NOW)
  const lane = messageLaneContents('acme|ConnectionRecord|c1')
  const { items: [first] = [] } = (await lane?.read(NOW)) ?? {}
  expect(first && lane?.giveUpAt(first)).toBe(NOW + MESSAGE_PLAN.lifetime)
})

describe('its basic message', () => {
  const record = storedRecord({
    ...{ type: 'BasicMessageRecord', id: 'message-1', version: 291, tags: { connectionId: 'c1' } },
    value: { id: 'message-1', createdAt: at(-26), role: 'sender' },
    delivery: { state: 'failed', attempts: 290, lastError: 'connect', at: at(-1) },
  })
  const messages = async () => (await table.items('acme|BasicMessageRecord|')).map(fromRecordItem)

  test('is pending again without an event, and its next outcome is an event after the earlier one', async () => {
    await table.put(toRecordItem(record))
    await failed('1', at(-1))
    await redriveMessages(at(-2), NOW)
    const [again] = await messages()
    const delivery = { state: 'pending', attempts: 290, lastError: 'connect', at: at(0) } as const
    expect(again).toEqual({ ...record, version: 292, delivery })
    expect(factsOf(modified(toRecordItem(record), toRecordItem(again ?? record)))).toEqual([])
    const item = { ...messageOf('1'), pendingSince: at(0) }
    const attempt = {
      outcome: { milliseconds: 1, status: 200, headers: {}, body: '' },
      startedAt: NOW,
      endedAt: NOW + 1_000,
    }
    await transact(messageLaneContents('acme|ConnectionRecord|c1')?.delivered({ item, index: 1 }, attempt) ?? [])
    const [delivered] = await messages()
    expect(factsOf(modified(toRecordItem(again ?? record), toRecordItem(delivered ?? record)))).toMatchObject([
      { type: 'basic_message.delivered', sequence: 293, occurredAt: new Date(NOW + 1_000).toISOString() },
    ])
  })

  test('that was deleted stays deleted, and the others of its item are pending again', async () => {
    const other = { ...record, id: 'other', value: { ...record.value, id: 'other' } }
    await table.put(toRecordItem(other))
    const basicMessages = ['message-1', 'other'].map((id) => ({ id, createdAt: at(-26) }))
    await failed('1', at(-1), { basicMessages })
    expect(await redriveMessages(at(-2), NOW)).toBe(1)
    expect(await messages()).toMatchObject([{ id: 'other', delivery: { state: 'pending' } }])
    expect((await waiting()).map(({ id }) => id)).toEqual(['1'])
    expect(await table.check()).toEqual([])
  })
})

test('waiting items and other kinds stay unchanged', async () => {
  await table.put(outboxItem.encode(messageOf('2')))
  await table.put({ pk: { S: 'acme|delivery|c9' }, sk: { S: '9' }, kind: { S: 'event' }, state: { S: 'failed' } })
  expect(await redriveMessages(at(-2), NOW)).toBe(0)
  expect((await waiting()).map(({ id }) => id)).toEqual(['2'])
})

test('two concurrent operators redrive each message once', async () => {
  for (const id of ['1', '2', '3']) await failed(id, at(-1))
  const counts = await Promise.all([redriveMessages(at(-2), NOW), redriveMessages(at(-2), NOW)])
  expect(counts[0] + counts[1]).toBeLessThanOrEqual(3)
  await redriveMessages(at(-2), NOW)
  expect((await waiting()).map(({ id }) => id)).toEqual(['1', '2', '3'])
  expect((await waiting()).map(({ attempts }) => attempts)).toEqual([290, 290, 290])
  expect(await outcomes()).toEqual([])
})

test('a message that another operator has redriven meanwhile, and was delivered, is not sent again', async () => {
  const outcome = await failed('1', at(-1))
  table.way = async (command, send) => {
    if (command === 'TransactWriteItems') {
      table.way = undefined
      await removeIf(addressOf(outcome))
    }
    await send()
  }
  expect(await redriveMessages(at(-2), NOW)).toBe(0)
  expect(await waiting()).toEqual([])
})

test('a waiting item with the same id stays unchanged', async () => {
  await failed('1', at(-1))
  const waits = { ...messageOf('1'), taken: 0 }
  await table.put(outboxItem.encode(waits))
  expect(await redriveMessages(at(-2), NOW)).toBe(0)
  expect(await waiting()).toEqual([waits])
})

test('a message is found anywhere: the whole table is read', async () => {
  const payload = 'x'.repeat(300 * 1024)
  for (const id of ['1', '2', '3', '4', '5', '6'])
    await failed(id, at(-1), { messages: [{ endpoint: 'https://wallet.example', payload }], taken: 0 })
  expect(await redriveMessages(at(-2), NOW)).toBe(6)
})

test('an unavailable table is an error', async () => {
  table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
  await expect(redriveMessages(at(-2), NOW)).rejects.toMatchObject({ code: 'store.unavailable' })
})

describe('the command', () => {
  test('names a stage and a time', () => {
    expect(redriveArguments([])).toEqual({ stage: 'dev' })
    expect(redriveArguments(['--stage', 'prod', '--since', '2026-11-20T13:00:00+01:00'])).toEqual({
      stage: 'prod',
      since: '2026-11-20T12:00:00.000Z',
    })
  })

  test.each([
    [['--since']],
    [['--stage', 'a b']],
    [['--all']],
    [['prod']],
    [['--lost', '--since', '2026-11-20T12:00:00Z']],
  ])('rejects %j in one line', (args) => {
    expect(() => redriveArguments(args)).toThrow(/^[^\n]+$/)
  })

  // JavaScript reads no offset without minutes, and the 31st of February as the 3rd of March; texts of times after 9999
  // sort before all others.
  test.each(['yesterday', '2026-11-20T12:00:00+01', '2026-02-31T00:00:00Z', '9999-12-31T23:59:59-23:59'])(
    'says what a time is, for %s',
    (since) => {
      expect(() => redriveArguments(['--since', since])).toThrow('--since is a time such as 2026-11-20T12:00:00Z')
    },
  )

  test('prints its result, and asks no question', async () => {
    const never = () => Promise.reject(new Error('it asks'))
    await failed('1', at(-1))
    expect(await redrive({ since: at(-2) }, never)).toBe('1 messages were queued again')
    expect(await redrive({ since: undefined }, never)).toBe('0 changes were dispatched, 0 failed again and stay parked')
  })

  test('says what a scan for lost lanes costs, and does nothing without a yes', async () => {
    const { connectionId } = messageOf('1')
    await table.put(outboxItem.encode(messageOf('1')))
    const asked: string[] = []
    const answer = (yes: boolean) => async (question: string) => asked.push(question) > 0 && yes
    vi.spyOn(dynamodb(), 'send').mockImplementationOnce(async () => ({ Table: { TableSizeBytes: 10 * 2 ** 30 } }))
    expect(await redrive(redriveArguments(['--lost']), answer(false))).toBe('nothing was done')
    expect(asked).toEqual([expect.stringMatching(/10\.00 GB, for about \$0\.16.+ Go on\? \[y\/N\] $/)])
    const lane = laneAddress(messageLane('acme', connectionId))
    expect(await table.get(lane)).toBeUndefined()
    vi.spyOn(dynamodb(), 'send').mockImplementationOnce(async () => ({ Table: {} }))
    expect(await redrive({ lost: true }, answer(true))).toMatch(/^1 lanes had no wake-up/)
    expect(await table.get(lane)).toHaveProperty('dueAt')
  })
})
