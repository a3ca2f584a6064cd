/** The alarms on the service's own metrics, over what it measures itself: an hour and more of traffic, while a mediator is down. */
import './queue-urls.ts'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { toResource } from '../../infra/watch/alarm.ts'
import { serviceAlarms } from '../../infra/watch/service-alarms.ts'
import {
  type AlarmProperties,
  AlarmProperties as Properties,
  statesOf,
  watchedBy,
} from '../support/watch/alarm-state.ts'
import { keyOf, RecordedMetrics } from '../support/watch/recorded-metrics.ts'
import { type StartedTable, startTable } from '../unit/store/started-table.ts'
import { runOutage, SHORT, sizeOf } from './outage.ts'
import { UNAVAILABLE } from './service.ts'

let table: StartedTable
const recorded = new RecordedMetrics()
let from: number
let until: number

beforeAll(async () => {
  process.env.LOG_LEVEL = 'info'
  vi.spyOn(console, 'log').mockImplementation((line) => recorded.addLine(JSON.parse(line)))
  table = await startTable({ stream: false })
  // What waits is counted every five minutes: one count more, so that it is green however many waited in that of the recovery.
  const end = SHORT.end + 5 * 60_000
  await runOutage(table, { ...SHORT, end, size: sizeOf(1 / 1000), failing: UNAVAILABLE })
  ;[from, until] = recorded.range
})
afterAll(() => table.stop())

const alarmsOf = (waiting: number): [id: string, AlarmProperties][] =>
  Object.entries(serviceAlarms({ maxWaiting: waiting })).map(([id, alarm]) => [
    id,
    v.parse(Properties, toResource(id, 'serverless-agent-dev', alarm).Properties),
  ])

const total = (name: string, statistic: string): number =>
  recorded.statistic(keyOf('serverless-agent', name, { Table: { Ref: 'Table' } }), statistic, from, until + 1) ?? 0

test('what was measured is what has happened', () => {
  expect(until - from).toBeGreaterThan(70)
  expect(total('OutboxDueAge', 'SampleCount')).toBeGreaterThan(70)
  expect(total('MessagesDelivered', 'Sum')).toBeGreaterThan(1_000)
  expect(total('AttemptsFailed', 'Sum')).toBeGreaterThan(10)
  expect(total('DestinationsClosed', 'Sum')).toBeGreaterThanOrEqual(1)
  expect(total('OutboxWaiting', 'Maximum')).toBeGreaterThan(50)
})

describe.each(alarmsOf(1_000))('%s', (_id, alarm) => {
  test('is quiet: that a mediator is down is no affair of an operator', () => {
    // The first sweep comes after a minute.
    expect(new Set(statesOf(alarm, recorded, from + 3, until))).toEqual(new Set(['OK']))
  })
})

test('the alarm on what waits is red where fewer may wait than do, and green when the mediator is back', () => {
  const alarm = alarmsOf(50).find(([id]) => id === 'WaitingAlarm')?.[1] as AlarmProperties
  const states = statesOf(alarm, recorded, from + 3, until)
  expect(states[0]).toBe('OK')
  expect(states).toContain('ALARM')
  expect(states.at(-1)).toBe('OK')
})

test('the alarm on the sweep is red soon after the service has stopped', () => {
  const alarm = alarmsOf(1_000).find(([id]) => id === 'SweepAlarm')?.[1] as AlarmProperties
  expect(watchedBy(alarm).every((key) => recorded.keys.includes(key))).toBe(true)
  expect(statesOf(alarm, recorded, until, until + 15).at(-1)).toBe('ALARM')
})
