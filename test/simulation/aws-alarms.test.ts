/** The alarms on what AWS measures, over a recorded run: three hours of traffic, in which our functions, the table and the account fail in turn. */
import './queue-urls.ts'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toResource } from '../../infra/watch/alarm.ts'
import { awsAlarms } from '../../infra/watch/aws-alarms.ts'
import { AlarmProperties, type State, statesOf, watchedBy } from '../support/watch/alarm-state.ts'
import { RecordedMetrics } from '../support/watch/recorded-metrics.ts'
import { type StartedTable, startTable } from '../unit/store/started-table.ts'
import { HEALTHY, type Trouble } from './service.ts'
import { connectionTo } from './traffic.ts'
import { MINUTE, World } from './world.ts'

/** Minutes from the start. */
const TROUBLES: Record<Trouble, { from: number; until: number }> = {
  functions: { from: 20, until: 50 },
  table: { from: 80, until: 95 },
  concurrency: { from: 125, until: 140 },
}
const END = 175

/** An alarm is green again after three periods of five minutes, with what is late. */
const GREEN_AFTER = 17

const troubleAt = (minute: number): Trouble | undefined =>
  (Object.keys(TROUBLES) as Trouble[]).find((kind) => minute >= TROUBLES[kind].from && minute < TROUBLES[kind].until)

const ALARMS = awsAlarms(
  {
    ...{ stack: 'serverless-agent-dev', stage: 'dev', concurrency: 1_000 },
    background: [
      { id: 'DeliverLambdaFunction', timeout: 30, refuses: false },
      { id: 'DeliverSlowlyLambdaFunction', timeout: 30, refuses: false },
      { id: 'WakeLambdaFunction', timeout: 30, refuses: false },
      { id: 'SweepOutboxLambdaFunction', timeout: 55, refuses: false },
    ],
  },
  'DispatchChangesLambdaFunction',
)

const propertiesOf = (id: string): AlarmProperties => {
  const alarm = ALARMS[id]
  if (alarm === undefined) throw new Error(`there is no ${id}`)
  return v.parse(AlarmProperties, toResource(id, 'serverless-agent-dev', alarm).Properties)
}

let table: StartedTable
const recorded = new RecordedMetrics()
let start: number

beforeAll(async () => {
  table = await startTable({ stream: false })
  const world: World = new World(
    table,
    {
      ...{ fast: 20, slow: 10, window: 1_000 },
      trouble: () => troubleAt(world.elapsed / MINUTE),
      metricsIn: recorded,
    },
    () => HEALTHY,
    5,
  )
  start = Math.floor(world.start / MINUTE)
  const tenant = world.newId()
  const lanes = Array.from({ length: 20 }, (_, index) =>
    connectionTo(`https://healthy-${index}.example`, tenant, world.newId()),
  )
  world.traffic(lanes, { count: 5 * END, from: 0, until: END * MINUTE })
  await world.runUntil(END * MINUTE)
  world.service.stop()
  expect(world.faults).toEqual([])
}, 120_000)
afterAll(() => table.stop())

/** By minute from the start. */
const statesIn = (id: string): State[] => statesOf(propertiesOf(id), recorded, start, start + END)

const during = (states: State[], kind: Trouble): State[] =>
  states.slice(TROUBLES[kind].from, TROUBLES[kind].until + GREEN_AFTER)

/** When all is well, and has been for a while; the first values are there after some minutes. */
const whenWell = (states: State[]): State[] =>
  states.filter(
    (_, minute) =>
      minute >= 5 && !Object.values(TROUBLES).some(({ from, until }) => minute >= from && minute < until + GREEN_AFTER),
  )

describe.each<[id: string, causes: Trouble[]]>([
  ['FunctionErrorsAlarm', ['functions']],
  ['DeadLettersAlarm', ['functions']],
  ['TableErrorsAlarm', ['table']],
  ['ThrottlesAlarm', ['concurrency']],
  ['OldWakeUpsAlarm', ['concurrency']],
])('%s', (id, causes) => {
  test('looks at what was recorded', () => {
    expect(watchedBy(propertiesOf(id)).some((key) => recorded.keys.includes(key))).toBe(true)
  })

  test.each(causes)('is red while there is trouble: %s', (kind) => {
    expect(during(statesIn(id), kind)).toContain('ALARM')
  })

  test('is green when all is well: before it, and after it', () => {
    expect(new Set(whenWell(statesIn(id)))).toEqual(new Set(['OK']))
  })
})

test.each(['DurationAlarm', 'ConcurrencyAlarm', 'TableThrottlesAlarm'])(
  '%s is quiet: nothing of that has happened',
  (id) => {
    expect(new Set(statesIn(id).slice(5))).toEqual(new Set(['OK']))
  },
)
