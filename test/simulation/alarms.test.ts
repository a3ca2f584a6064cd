/** What counts for alarms in the log, over an hour and more of traffic while a mediator is down. */
import './queue-urls.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ALARM_WEIGHT } from '../../lib/metrics.ts'
import { runOutage, SHORT, sizeOf } from './outage.ts'
import { simulatedNow, UNAVAILABLE } from './service.ts'

const WAITING_LANES = 50

interface Line extends Record<string, unknown> {
  minute: number
}

const lines: Line[] = []
let until: number

beforeAll(async () => {
  vi.stubEnv('LOG_LEVEL', 'info')
  vi.stubEnv('WAITING_LANES', String(WAITING_LANES))
  vi.spyOn(console, 'log').mockImplementation((text) => {
    lines.push({ ...JSON.parse(text), minute: Math.floor(simulatedNow() / 60_000) })
  })
  // What waits is counted every five minutes: one count more, so that it is over however many waited in that of the recovery.
  const end = SHORT.end + 30 * 60_000
  await runOutage({ ...SHORT, end, size: sizeOf(1 / 1000), failing: UNAVAILABLE })
  until = Math.floor(simulatedNow() / 60_000)
})
afterAll(() => {
  vi.unstubAllEnvs()
})

const total = (name: string, of = lines): number => of.reduce((sum, { [name]: value }) => sum + Number(value ?? 0), 0)
const countingFor = (alarm: string) => lines.filter((line) => line.alarm === alarm)

test('what was counted is what has happened', () => {
  expect(until - Number(lines[0]?.minute)).toBeGreaterThan(70)
  expect(total('MessagesDelivered')).toBeGreaterThan(1_000)
  expect(total('AttemptsFailed')).toBeGreaterThan(10)
  expect(total('DestinationsClosed')).toBeGreaterThanOrEqual(1)
  expect(Math.max(...lines.map(({ OutboxWaiting }) => Number(OutboxWaiting ?? 0)))).toBeGreaterThan(WAITING_LANES)
})

test.each(['FaultsAlarm', 'DeadLettersAlarm'])('%s is quiet while a mediator is down', (alarm) => {
  expect(countingFor(alarm)).toEqual([])
})

test('UnreachableAlarm goes off while more wait than may, by the count of what waits, and is over half an hour later', () => {
  const counted = countingFor('UnreachableAlarm')
  const within = (from: number) => counted.filter(({ minute }) => minute >= from && minute < from + 15)
  expect(Math.max(...counted.map(({ minute }) => total('weight', within(minute))))).toBeGreaterThanOrEqual(ALARM_WEIGHT)
  expect(
    total(
      'weight',
      counted.filter(({ minute }) => minute >= until - 30),
    ),
  ).toBeLessThan(ALARM_WEIGHT)
  const closed = counted.filter(({ event }) => event === 'destination.closed')
  expect(total('weight', closed)).toBeLessThan(ALARM_WEIGHT)
})
