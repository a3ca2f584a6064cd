/** A redrive of messages: what was given up since a time goes back into its lane, once, and its story goes on. */
import { beforeEach, describe, expect, test } from 'vitest'
import { redrive, redriveArguments } from '../../../infra/redrive.ts'
import { type OutboxItem, outboxItem, outcomeItem } from '../../../lib/outbox/message-item.ts'
import { openMessageLane } from '../../../lib/outbox/messages.ts'
import { redriveMessages } from '../../../lib/outbox/redrive.ts'
import { MESSAGE_PLAN } from '../../../lib/outbox/retry-plan.ts'
import { removeIf } from '../../../lib/store/write.ts'
import { factsOf } from '../../../lib/webhooks/facts.ts'
import { inserted } from '../../support/webhooks/changes.ts'
import { failure } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'

const NOW = Date.parse('2026-11-22T12:00:00.000Z')
const at = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString()

const table = await useTable({ check: false })

beforeEach(async () => {
  table.way = undefined
  for (const { pk, sk } of await table.items()) await removeIf({ pk: pk?.S ?? '', sk: sk?.S ?? '' })
})

const messageOf = (id: string): OutboxItem => ({
  ...{ tenant: 'acme', connectionId: 'c1', id, taken: 1, attempts: 290, lastError: 'connect', createdAt: at(-26) },
  messages: ['one', 'two'].map((payload) => ({ endpoint: 'https://wallet.example', payload })),
  basicMessages: [{ record: { id: `message-${id}` } }],
})
const failed = async (id: string, endedAt: string, changes: Partial<OutboxItem> = {}) => {
  const expiresAt = Math.floor(Date.now() / 1000) + 3600
  const item = outcomeItem.encode({ ...messageOf(id), ...changes, state: 'failed', endedAt, expiresAt })
  await table.put(item)
  return item
}
const waiting = async () => (await table.items('acme|ConnectionRecord|')).map((item) => outboxItem.decode(item))
const outcomes = async () => (await table.items('acme|delivery|')).map((item) => outcomeItem.decode(item).id)

test('what was given up then or later goes back as it was, and what was given up before stays', async () => {
  await failed('1', at(-3))
  await failed('2', at(-2))
  await failed('3', at(-1))
  expect(await redriveMessages(at(-2), NOW)).toBe(2)
  const expected = ['2', '3'].map((id) => ({ ...messageOf(id), attempts: 291, pendingSince: at(0) }))
  expect(await waiting()).toEqual(expected)
  expect(await outcomes()).toEqual(['1'])
  expect(await table.check()).toEqual([])
})

test('what was packed for a DID goes back into the lane of that DID', async () => {
  await failed('1', at(-1), { did: 'digest' })
  expect(await redriveMessages(at(-2), NOW)).toBe(1)
  expect(await openMessageLane('acme|ConnectionRecord|c1|digest')?.read(NOW)).toMatchObject({
    items: [{ item: { id: '1' } }],
  })
  expect(await openMessageLane('acme|ConnectionRecord|c1')?.read(NOW)).toMatchObject({ items: [] })
})

test('a message goes before what was sent after it, and what its wallet has taken is not sent again', async () => {
  await failed('0190', at(-1))
  await table.put(outboxItem.encode({ ...messageOf('0191'), attempts: 0, taken: 0, createdAt: at(0) }))
  await redriveMessages(at(-2), NOW)
  const { items } = (await openMessageLane('acme|ConnectionRecord|c1')?.read(NOW)) ?? { items: [] }
  expect(items.map(({ item, index }) => [item.id, index])).toEqual([
    ['0190', 1],
    ['0191', 0],
    ['0191', 1],
  ])
})

test('what was corrupt is not redriven: there is nothing to send', async () => {
  const corrupt = {
    ...messageOf('9'),
    messages: [],
    state: 'failed' as const,
    endedAt: at(0),
    expiresAt: 9_999_999_999,
  }
  await table.put(outcomeItem.encode(corrupt))
  expect(await redriveMessages(at(-2), NOW)).toBe(0)
  expect(await outcomes()).toEqual(['9'])
})

test('its retry plan begins anew, and goes on for a day from then', async () => {
  await failed('1', at(-1))
  await redriveMessages(at(-2), NOW)
  const lane = openMessageLane('acme|ConnectionRecord|c1')
  const { items: [first] = [] } = (await lane?.read(NOW)) ?? {}
  expect(first && lane?.giveUpAt(first)).toBe(NOW + MESSAGE_PLAN.lifetime)
})

test('its next outcome is told after the earlier one, and it is not told as sent again', async () => {
  const before = factsOf(inserted(await failed('1', at(-1))))
  await redriveMessages(at(-2), NOW)
  const [item] = await table.items('acme|ConnectionRecord|')
  expect(factsOf(inserted(item ?? {}))).toEqual([])
  const again = { ...messageOf('1'), attempts: 291, pendingSince: at(0), state: 'failed' as const, endedAt: at(24) }
  const [sent, outcome] = factsOf(inserted(outcomeItem.encode({ ...again, expiresAt: 2_000_000_000 })))
  expect(sent).toEqual(before[0])
  expect(outcome?.sequence).toBeGreaterThan(before[1]?.sequence ?? Number.NaN)
})

test('what was delivered, waits, or is of another kind is left alone', async () => {
  const ended = { endedAt: at(-1), expiresAt: Math.floor(Date.now() / 1000) + 3600 }
  await table.put(outcomeItem.encode({ ...messageOf('1'), messages: [], state: 'delivered', ...ended }))
  await table.put(outboxItem.encode(messageOf('2')))
  await table.put({ pk: { S: 'acme|delivery|c9' }, sk: { S: '9' }, kind: { S: 'event' }, state: { S: 'failed' } })
  expect(await redriveMessages(at(-2), NOW)).toBe(0)
  expect((await waiting()).map(({ id }) => id)).toEqual(['2'])
})

test('two operators at once redrive each message once', async () => {
  for (const id of ['1', '2', '3']) await failed(id, at(-1))
  const counts = await Promise.all([redriveMessages(at(-2), NOW), redriveMessages(at(-2), NOW)])
  expect(counts[0] + counts[1]).toBeLessThanOrEqual(3)
  await redriveMessages(at(-2), NOW)
  expect((await waiting()).map(({ id }) => id)).toEqual(['1', '2', '3'])
  expect((await waiting()).map(({ attempts }) => attempts)).toEqual([291, 291, 291])
  expect(await outcomes()).toEqual([])
})

test('a message is found wherever it is: the table is read to its end', async () => {
  const payload = 'x'.repeat(300 * 1024)
  for (const id of ['1', '2', '3', '4', '5', '6'])
    await failed(id, at(-1), { messages: [{ endpoint: 'https://wallet.example', payload }], taken: 0 })
  expect(await redriveMessages(at(-2), NOW)).toBe(6)
})

test('a table that does not answer is told', async () => {
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

  test.each([[['--since', 'yesterday']], [['--since']], [['--stage', 'a b']], [['--all']], [['prod']]])(
    'refuses %j in one line',
    (args) => {
      expect(() => redriveArguments(args)).toThrow(/^[^\n]+$/)
    },
  )

  test('says what it has done', async () => {
    await failed('1', at(-1))
    expect(await redrive({ since: at(-2) })).toBe('1 messages are on their way again')
    expect(await redrive({ since: undefined })).toBe('0 changes were dispatched, 0 failed again and stay parked')
  })
})
