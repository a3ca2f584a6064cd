/**
 * The alarms on what AWS measures, and on the faults of the log, over a recorded run: hours of traffic and of requests to the API, in which our functions, the table and
 * the account fail in turn.
 */
import './queue-urls.ts'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { getConnections } from '../../functions/get-connections.ts'
import { toResource } from '../../infra/watch/alarm.ts'
import { alarmsOf } from '../../infra/watch/alarms.ts'
import { toAuthorizerContext } from '../../lib/auth/principal.ts'
import { settings } from '../../lib/settings.ts'
import { dynamodb } from '../../lib/store/client.ts'
import { AlarmProperties, type State, statesOf, watchedBy } from '../support/watch/alarm-state.ts'
import { RecordedMetrics } from '../support/watch/recorded-metrics.ts'
import { AwsMetrics } from './aws-metrics.ts'
import { HEALTHY, simulatedNow, type Trouble } from './service.ts'
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
/** Wake-ups that have died meanwhile are taken up within five minutes more, which is a fault of its own. */
const FAULTS_GREEN_AFTER = 25

const isAt = (minute: number, kind: keyof typeof TROUBLES): boolean =>
  minute >= TROUBLES[kind].from && minute < TROUBLES[kind].until

const troubleAt = (minute: number): Trouble | undefined =>
  (['functions', 'table', 'concurrency', 'hang'] as const).find((kind) => isAt(minute, kind))

const SWEEP = 'SweepOutboxLambdaFunction'
const DISPATCHER = 'DispatchChangesLambdaFunction'
const ALARMS = alarmsOf({
  ...{ stack: 'serverless-agent-dev', stage: 'dev', sweep: SWEEP, dispatcher: DISPATCHER, concurrency: 1_000 },
})

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

const recorded = new RecordedMetrics()
let start: number

beforeAll(async () => {
  vi.stubEnv('LOG_LEVEL', 'info')
  vi.spyOn(console, 'log').mockImplementation((text) =>
    recorded.addLine(JSON.parse(text), Math.floor(simulatedNow() / MINUTE)),
  )
  const world: World = new World(
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
afterAll(() => {
  vi.unstubAllEnvs()
})

/** By minute from the start. */
const statesIn = (id: string): State[] => statesOf(propertiesOf(id), recorded, start, start + END)

const during = (states: State[], kind: keyof typeof TROUBLES): State[] =>
  states.slice(TROUBLES[kind].from, TROUBLES[kind].until + GREEN_AFTER)

/** When all is well, and has been for a while; the first values are there after some minutes. */
const whenWell = (states: State[], greenAfter = GREEN_AFTER): State[] =>
  states.filter(
    (_, minute) =>
      minute >= 5 && !Object.values(TROUBLES).some(({ from, until }) => minute >= from && minute < until + greenAfter),
  )

const CAUSES: [id: string, causes: (keyof typeof TROUBLES)[]][] = [
  ['FaultsAlarm', ['functions', 'hang', 'table', 'partition']],
  ['DispatchDelayAlarm', ['functions', 'hang']],
  ['ServerErrorsAlarm', ['table', 'hang']],
  ['SlowOperationsAlarm', ['hang']],
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
    const states = whenWell(statesIn(id), id === 'FaultsAlarm' ? FAULTS_GREEN_AFTER : GREEN_AFTER)
    expect(states.length).toBeGreaterThan(40)
    expect(new Set(states)).toEqual(new Set(['OK']))
  })
})

test('the sweep is heard of while all is well, and its silence is red', () => {
  const states = statesIn('SweepAlarm')
  expect(new Set(whenWell(states))).toEqual(new Set(['OK']))
  expect(statesOf(propertiesOf('SweepAlarm'), recorded, start + END, start + END + 15).at(-1)).toBe('ALARM')
})

test('every alarm is among these, or among those of what others and dead letters do', () => {
  const others = ['SweepAlarm', 'UnreachableAlarm', 'DeadLettersAlarm']
  expect(Object.keys(ALARMS).sort()).toEqual([...CAUSES.map(([id]) => id), ...others].sort())
})
