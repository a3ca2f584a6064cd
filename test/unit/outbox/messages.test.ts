/** The contents of a message lane: where a message may be sent, and what is written. */
import type { LookupFunction } from 'node:net'
import { expect, test } from 'vitest'
import type { Attempt } from '../../../lib/outbox/lanes/lane-contents.ts'
import { messageLaneContents } from '../../../lib/outbox/message-lane.ts'
import { type OutboxItem, outboxItem, outcomeItem } from '../../../lib/outbox/messages/message-item.ts'
import { settings } from '../../../lib/settings.ts'
import { transact } from '../../../lib/store/write.ts'
import { useTable } from '../store/use-table.ts'

const table = await useTable({ memory: true })

const NOW = 1_800_000_000_000
const LANE = 'acme|ConnectionRecord|c1'
const ITEM: OutboxItem = {
  ...{ tenant: 'acme', connectionId: 'c1', id: '0199', taken: 0, attempts: 2 },
  messages: [{ endpoint: 'https://wallet.example', payload: '{}' }],
  createdAt: new Date(NOW).toISOString(),
}
const attempt = (status: number): Attempt => ({
  ...{ outcome: { status, headers: {}, body: '', milliseconds: 1 }, startedAt: NOW, endedAt: NOW },
})
const contents = (transport = {}) => {
  const lane = messageLaneContents(LANE, { transport })
  if (lane === undefined) throw new Error('it has contents')
  return lane
}

test('on AWS no message is sent to a private address', async () => {
  settings().LOCAL_STAGE = false
  try {
    const resolve: LookupFunction = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])
    expect(await contents({ resolve }).send({ item: ITEM, index: 0 }, NOW)).toMatchObject({ failure: 'address' })
  } finally {
    settings().LOCAL_STAGE = true
  }
})

test('a message that was given up is stored for 14 days', () => {
  const [, outcome] = contents().givenUp({ item: ITEM, index: 0 }, NOW)
  const put = outcome !== undefined && 'put' in outcome ? outcome.put : {}
  expect(outcomeItem.decode(put)).toMatchObject({ expiresAt: NOW / 1_000 + 14 * 24 * 60 * 60, attempts: 2 })
})

test.each([
  ['failed', contents().failed({ item: ITEM, index: 0 }, attempt(500), 0)],
  ['delivered', contents().delivered({ item: ITEM, index: 0 }, attempt(200))],
  ['given up', contents().givenUp({ item: ITEM, index: 0 }, NOW)],
])('a message that was removed has not %s, and no part of it is created again', async (_, writes) => {
  expect(await transact(writes)).toMatchObject({ written: false, failed: [0] })
  expect((await table.items()).filter(({ kind }) => kind?.S !== 'layout').map(outboxItem.decode)).toEqual([])
})
