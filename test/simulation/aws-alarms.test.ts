/**
 * The alarms on what AWS measures, over a recorded run: hours of traffic and of requests to the API, in which our functions, the table and
 * the account fail in turn.
 */
import './queue-urls.ts'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getConnections } from '../../functions/get-connections.ts'
import { toResource } from '../../infra/watch/alarm.ts'
import { awsAlarms } from '../../infra/watch/aws-alarms.ts'
import { toAuthorizerContext } from '../../lib/auth/principal.ts'
import { settings } from '../../lib/settings.ts'
import { dynamodb } from '../../lib/store/client.ts'
import { AlarmProperties, type State, statesOf, watchedBy } from '../support/watch/alarm-state.ts'
import { RecordedMetrics } from '../support/watch/recorded-metrics.ts'
import { type StartedTable, startTable } from '../unit/store/started-table.ts'
import { AwsMetrics } from './aws-metrics.ts'
import { HEALTHY, type Trouble } from './service.ts'
import { connectionTo } from './traffic.ts'
import { MINUTE, World } from './world.ts'

/** Minutes from the start. `partition`: other work writes more to one key than DynamoDB takes of one. */
const TROUBLES: Record<Trouble | 'partition', { from: number; until: number }> = {
  functions: { from: 20, until: 50 },
  table: { from: 80, until: 95 },
  concurrency: { from: 125, until: 140 },
  hang: { from: 170, until: 185 },
  partition: { from: 215, until: 225 },
}
const END = 260

/** An alarm is green again after three periods of five minutes, with what is late. */
const GREEN_AFTER = 17

const isAt = (minute: number, kind: keyof typeof TROUBLES): boolean =>
  minute >= TROUBLES[kind].from && minute < TROUBLES[kind].until

const troubleAt = (minute: number): Trouble | undefined =>
  (['functions', 'table', 'concurrency', 'hang'] as const).find((kind) => isAt(minute, kind))

const ALARMS = awsAlarms(
  {
    ...{ stack: 'serverless-agent-dev', stage: 'dev', concurrency: 1_000 },
    background: [
      { id: 'DeliverLambdaFunction', timeout: 30, throwsOnPurpose: false },
      { id: 'DeliverSlowlyLambdaFunction', timeout: 30, throwsOnPurpose: false },
      { id: 'WakeLambdaFunction', timeout: 30, throwsOnPurpose: false },
      { id: 'SweepOutboxLambdaFunction', timeout: 55, throwsOnPurpose: false },
      { id: 'DispatchChangesLambdaFunction', timeout: 30, throwsOnPurpose: false },
    ],
  },
  'DispatchChangesLambdaFunction',
)

const propertiesOf = (id: string): AlarmProperties => {
  const alarm = ALARMS[id]
  if (alarm === undefined) throw new Error(`there is no ${id}`)
  return v.parse(AlarmProperties, toResource(id, 'serverless-agent-dev', alarm).Properties)
}

const everyMinute = ({ clock, start }: World, act: (minute: number) => void): void => {
  for (let minute = 0; minute < END; minute++) clock.at(start + minute * MINUTE, () => act(minute))
}

const authorizer = toAuthorizerContext({
  ...{ role: 'RestRootAgent', organizations: {}, subject: 'operator' },
  expiresAt: Number.MAX_SAFE_INTEGER,
})
const EVENT = {
  ...{ headers: {}, pathParameters: null, queryStringParameters: null, body: null },
  requestContext: { extendedRequestId: 'request', authorizer: { principalId: 'test', ...authorizer } },
}

/** The timeout of operations that only read, in ms; the gateway answers for one that is over. */
const TIMEOUT = 10_000
const KILLED = 504

/** Three requests to an operation that reads the table. */
const requests = async ({ clock, elapsed }: World, metrics: AwsMetrics): Promise<void> => {
  for (let count = 0; count < 3; count++)
    await metrics.request(async () => {
      if (!isAt(elapsed / MINUTE, 'hang')) return Object(await getConnections(Object(EVENT), Object({}))).statusCode
      await clock.sleep(TIMEOUT)
      return KILLED
    })
}

/** Items of 300 KB under one key, more in a second than DynamoDB takes. */
const crowd = async ({ newId }: World): Promise<void> => {
  const Item = { pk: { S: 'crowd' }, sk: { S: newId() }, text: { S: 'x'.repeat(300_000) } }
  const puts = Array.from({ length: 12 }, () =>
    dynamodb().send(new PutItemCommand({ TableName: settings().TABLE_NAME, Item })),
  )
  await Promise.allSettled(puts)
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
  everyMinute(world, () => void requests(world, new AwsMetrics(recorded, world.clock)))
  everyMinute(world, (minute) => {
    if (isAt(minute, 'partition')) void crowd(world)
  })
  world.traffic(lanes, { count: 5 * END, from: 0, until: END * MINUTE })
  await world.runUntil(END * MINUTE)
  world.service.stop()
  expect(world.faults).toEqual([])
})
afterAll(() => table.stop())

/** By minute from the start. */
const statesIn = (id: string): State[] => statesOf(propertiesOf(id), recorded, start, start + END)

const during = (states: State[], kind: keyof typeof TROUBLES): State[] =>
  states.slice(TROUBLES[kind].from, TROUBLES[kind].until + GREEN_AFTER)

/** When all is well, and has been for a while; the first values are there after some minutes. */
const whenWell = (states: State[]): State[] =>
  states.filter(
    (_, minute) =>
      minute >= 5 && !Object.values(TROUBLES).some(({ from, until }) => minute >= from && minute < until + GREEN_AFTER),
  )

const CAUSES: [id: string, causes: (keyof typeof TROUBLES)[]][] = [
  ['FunctionErrorsAlarm', ['functions', 'hang']],
  ['FunctionCrashesAlarm', ['hang']],
  ['DurationAlarm', ['hang']],
  ['DeadLettersAlarm', ['functions']],
  ['DispatchDelayAlarm', ['functions', 'hang']],
  ['ServerErrorsAlarm', ['table', 'hang']],
  ['SlowOperationsAlarm', ['hang']],
  ['TableErrorsAlarm', ['table']],
  ['TableThrottlesAlarm', ['partition']],
  ['ThrottlesAlarm', ['concurrency']],
  ['ConcurrencyAlarm', ['concurrency']],
  ['OldWakeUpsAlarm', ['concurrency']],
]

describe.each(CAUSES)('%s', (id, causes) => {
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

test('every alarm on what AWS measures is among them', () => {
  expect(Object.keys(ALARMS).sort()).toEqual([...CAUSES.map(([id]) => id)].sort())
})
