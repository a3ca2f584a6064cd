/** The order of a pickup queue. */
import { expect, test } from 'vitest'
import { pickupMessage } from '../../../lib/pickup/pickup-item.ts'
import { addToQueue, firstWaiting } from '../../../lib/pickup/queue.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { useTableAndQueues } from '../outbox/table-and-queues.ts'

// The first message is of another process: its queue has no job here.
const { table } = await useTableAndQueues({ check: false })

const timed = (ms: number): string =>
  ms
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})(.{4})$/, '$1-$2-7fff-bfff-ffffffffffff')

test('a message is behind all that wait, although the clock of another process is fast', async () => {
  const at = Date.now() + 60_000
  const first = { tenant: 'acme', connectionId: 'c', id: timed(at), payload: '"first"', recipients: [] }
  await table.put(pickupMessage.encode({ ...first, createdAt: new Date(at).toISOString() }))
  for (const payload of ['"second"', '"third"'])
    await transaction('acme', (unit) => addToQueue(unit, 'c', { payload, recipients: [], answers: false }))
  const waiting = await transaction('acme', (unit) => firstWaiting(unit, 'c', {}))
  expect(waiting.map(({ payload }) => payload)).toEqual(['"first"', '"second"', '"third"'])
})
