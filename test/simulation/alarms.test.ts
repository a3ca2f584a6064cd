/** The alarms of the log, over what the service writes there: an hour and more of traffic, while a mediator is down. */
import './queue-urls.ts'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { toResource } from '../../infra/watch/alarm.ts'
import { alarmsOf } from '../../infra/watch/alarms.ts'
import { AlarmProperties, statesOf } from '../support/watch/alarm-state.ts'
import { RecordedMetrics } from '../support/watch/recorded-metrics.ts'
import { runOutage, SHORT, sizeOf } from './outage.ts'
import { simulatedNow, UNAVAILABLE } from './service.ts'

const WAITING_LANES = 50

const recorded = new RecordedMetrics()
const lines: Record<string, unknown>[] = []
let from: number
let until: number

beforeAll(async () => {
  vi.stubEnv('LOG_LEVEL', 'info')
  vi.stubEnv('WAITING_LANES', String(WAITING_LANES))
  vi.spyOn(console, 'log').mockImplementation((text) => {
    const line = { ...JSON.parse(text), minute: Math.floor(simulatedNow() / 60_000) }
    lines.push(line)
    recorded.addLine(line, line.minute)
  })
  // What waits is counted every five minutes: one count more, so that it is green however many waited in that of the recovery.
  const end = SHORT.end + 30 * 60_000
  await runOutage({ ...SHORT, end, size: sizeOf(1 / 1000), failing: UNAVAILABLE })
  from = Number(lines[0]?.minute)
  until = Math.floor(simulatedNow() / 60_000)
})
afterAll(() => {
  vi.unstubAllEnvs()
})

const watched = {
  stack: 'serverless-agent-dev',
  stage: 'dev',
  sweep: 'Sweep',
  dispatcher: 'Dispatch',
  concurrency: 1_000,
}
const statesIn = (id: string) => {
  const alarm = alarmsOf(watched)[id]
  if (alarm === undefined) throw new Error(`there is no ${id}`)
  const properties = v.parse(AlarmProperties, toResource(id, watched.stack, alarm).Properties)
  return statesOf(properties, recorded, from + 3, until)
}

const total = (name: string): number => lines.reduce((sum, { [name]: value }) => sum + Number(value ?? 0), 0)

test('what was counted is what has happened', () => {
  expect(until - from).toBeGreaterThan(70)
  expect(total('MessagesDelivered')).toBeGreaterThan(1_000)
  expect(total('AttemptsFailed')).toBeGreaterThan(10)
  expect(total('DestinationsClosed')).toBeGreaterThanOrEqual(1)
  expect(Math.max(...lines.map(({ OutboxWaiting }) => Number(OutboxWaiting ?? 0)))).toBeGreaterThan(WAITING_LANES)
})

test.each(['FaultsAlarm', 'DeadLettersAlarm'])('%s is quiet: a mediator that is down is no fault of ours', (id) => {
  expect(new Set(statesIn(id))).toEqual(new Set(['OK']))
})

test('UnreachableAlarm is red where more wait than may, and green when the mediator is back', () => {
  const states = statesIn('UnreachableAlarm')
  expect(states[0]).toBe('OK')
  expect(states).toContain('ALARM')
  expect(states.at(-1)).toBe('OK')
})

test('a destination that closes is not many that are unreachable', () => {
  const few = new RecordedMetrics()
  for (const line of lines.filter(({ event }) => event === 'destination.closed')) few.addLine(line, Number(line.minute))
  const alarm = alarmsOf(watched).UnreachableAlarm
  if (alarm === undefined) throw new Error('there is no UnreachableAlarm')
  const properties = v.parse(AlarmProperties, toResource('UnreachableAlarm', watched.stack, alarm).Properties)
  expect(new Set(statesOf(properties, few, from + 3, until))).toEqual(new Set(['OK']))
})
