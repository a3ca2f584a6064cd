/** Ids of outbox items sort in the order of their creation. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newOutboxId, nextOutboxId, timeOfId } from '../../../lib/outbox/messages/outbox-id.ts'
import { messageLane } from '../../../lib/outbox/wake-ups/keys.ts'
import { UnitOfWork } from '../../../lib/store/unit-of-work.ts'
import { useTable } from '../store/use-table.ts'

const table = await useTable({ memory: true, check: false })

test('should be a UUIDv7 of its time', () => {
  const now = Date.UTC(2050, 0, 1)
  const id = newOutboxId(now, (size) => new Uint8Array(size).fill(0xff))
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(now)
})

test('should increase strictly, whether the clock runs, stands still or goes back', () => {
  const start = Date.UTC(2060, 0, 1)
  let last = newOutboxId(start)
  fc.assert(
    fc.property(fc.integer({ min: -5, max: 5 }), (step) => {
      const id = newOutboxId(start + step)
      expect(id > last).toBe(true)
      last = id
    }),
  )
})

test('should keep increasing when the counter of one millisecond overflows', () => {
  const now = Date.UTC(2070, 0, 1)
  const ids = Array.from({ length: 10_000 }, () => newOutboxId(now))
  expect(ids).toEqual(ids.toSorted())
  expect([ids[1], ids.at(-1)].map((id) => timeOfId(id) - now)).toEqual([
    0,
    expect.toSatisfy((ms) => ms <= 10_000 / 2048),
  ])
  expect(new Set(ids).size).toBe(ids.length)
})

test('the next id of a connection should be later than that of its last item, which a function with a fast clock has created', async () => {
  const id = 'ffffffff-0000-7fff-bfff-ffffffffffff'
  const connectionId = 'c1'
  await table.put({ pk: { S: messageLane('tenant', connectionId) }, sk: { S: id }, kind: { S: 'outbox' } })
  const next = await nextOutboxId(new UnitOfWork('tenant'), connectionId)
  expect(next > id).toBe(true)
  expect(timeOfId(next)).toBe(timeOfId(id) + 1)
})
