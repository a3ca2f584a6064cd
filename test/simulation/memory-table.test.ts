/** The table in memory, on which simulations run at full size: they have the same result on it as on the embedded database. */
import './queue-urls.ts'
import { expect, test } from 'vitest'
import { useTable } from '../unit/store/use-table.ts'
import { MemoryTable } from './memory-table.ts'
import { DEAD, eventSizeOf, type OutageOptions, runOutage, SHORT, sizeOf } from './outage.ts'
import { REFUSED, UNAVAILABLE } from './service.ts'
import { HOUR, MINUTE, type SimulatedTable } from './world.ts'

const database = await useTable({ check: false, stream: false })

const brief = { ...SHORT, downUntil: 10 * MINUTE, sentUntil: 10 * MINUTE, end: 15 * MINUTE }

test.each<[string, OutageOptions]>([
  [
    'messages that are given up, and events about them',
    {
      ...{ ...DEAD, size: { ...sizeOf(1 / 1000), connections: 10, messages: 30 }, failing: REFUSED },
      ...{ age: 23 * HOUR, end: 4 * HOUR, told: true },
    },
  ],
  [
    'messages that are delivered after an outage',
    { ...brief, size: { ...sizeOf(1 / 1000), messages: 200 }, failing: UNAVAILABLE },
  ],
  ['events that are', { ...brief, size: { ...eventSizeOf(1 / 1000), messages: 200 }, failing: UNAVAILABLE }],
])('to the last request: %s', async (_name, options) => {
  // The later one starts at another hour, and so has partitions of other names: their busiest second is another one.
  const on = async (table: SimulatedTable) => ({ ...(await runOutage(table, options)), realSeconds: 0, peaks: {} })
  const expected = await on(database)
  expect(expected.requests.all).toBeGreaterThan(500)
  expect(await on(new MemoryTable())).toEqual(expected)
})
