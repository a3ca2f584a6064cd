/**
 * The alarms as they are deployed: each is tested with values of its metric, and each code of the log by its weight.
 */
import { globSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ALARM_WEIGHT, METRICS, type MetricName, measure } from '../../../../lib/metrics.ts'
import { ofType } from '../../../support/stage/template.ts'
import { isOn, readAlarm } from '../../../support/watch/alarm.ts'
import { idleCost } from '../../../support/watch/idle-cost.ts'
import { valuesOf } from '../../../support/watch/metric-filters.ts'
import { resources } from './packaged.ts'

const idsOf = (type: string) => ofType(resources, type).map(([id]) => id)
const alarms = ofType(resources, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => ({
  ...{ id, properties: Properties, ...readAlarm(Properties) },
}))
const alarmOf = (id: string) => {
  const alarm = alarms.find((one) => one.id === id)
  if (alarm === undefined) throw new Error(`there is no ${id}`)
  return alarm
}

const STACK = 'serverless-agent-dev'

/**
 * Of each alarm: its metric, the value of a period when all is well, the least one that is worth an alarm, and the
 * minutes of it until it is on, and those after it until it is over. Periods slide: five minutes are often in two of
 * them, and never in three.
 */
const EXPECTED = [
  ['FaultsAlarm', `Sum ${STACK} FaultsAlarm`, ALARM_WEIGHT - 1, ALARM_WEIGHT, 5, 10],
  ['UnreachableAlarm', `Sum ${STACK} UnreachableAlarm`, ALARM_WEIGHT - 1, ALARM_WEIGHT, 15, 30],
  ['ThrottlesAlarm', 'Sum AWS/Lambda Throttles', 0, 1, 15, 20],
  ['ConcurrencyAlarm', 'Maximum AWS/Lambda ConcurrentExecutions', 799, 800, 3, 5],
  ['DispatchDelayAlarm', 'Maximum AWS/Lambda IteratorAge', 59_000, 60_000, 3, 5],
  ['ServerErrorsAlarm', 'Average AWS/ApiGateway 5XXError', 0.049, 0.05, 3, 10],
  ['SlowOperationsAlarm', 'Maximum AWS/ApiGateway IntegrationLatency', 7_900, 8_000, 15, 20],
  ['OldWakeUpsAlarm', 'Maximum AWS/SQS ApproximateAgeOfOldestMessage', 59, 60, 5, 7],
] as const
const OTHERS = ['DeadLettersAlarm', 'SweepAlarm']

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
const NONE = times<undefined>(10, undefined)

test.each(EXPECTED)(
  '%s of %s is on where so many of its last values are bad, wherever among them',
  (id, metric, well, bad, on, over) => {
    const alarm = alarmOf(id)
    const { DatapointsToAlarm: least, EvaluationPeriods: of, period } = alarm
    expect(`${alarm.statistic} ${alarm.metric}`).toBe(metric)
    expect([(least * period) / 60, (of * period) / 60]).toEqual([on, over])
    const goodThen = (...values: number[]) => isOn(alarm, [...times(10, well), ...values])
    expect(goodThen()).toBe(false)
    expect(goodThen(...times(least - 1, bad))).toBe(false)
    expect(goodThen(...times(least, bad))).toBe(true)
    expect(goodThen(...times(least, bad), ...times(of - least, well))).toBe(true)
    expect(goodThen(...times(least, bad), ...times(of - least + 1, well))).toBe(false)
    // Nothing happens any more, or nothing has ever happened.
    expect(isOn(alarm, [...times(of, bad), ...NONE])).toBe(false)
    expect(isOn(alarm, NONE)).toBe(false)
  },
)

test('there is no other alarm, but of dead letters and of the sweep', () => {
  expect(alarms.map(({ id }) => id).sort()).toEqual([...EXPECTED.map(([id]) => id), ...OTHERS].sort())
})

test('the sweep is missed after seven silent minutes, not after four, and green with the next one', () => {
  const alarm = alarmOf('SweepAlarm')
  expect(alarm).toMatchObject({ metric: 'AWS/Lambda Invocations', statistic: 'Sum', period: 60 })
  const swept = times(10, 1)
  expect(isOn(alarm, swept)).toBe(false)
  expect(isOn(alarm, [...swept, ...NONE.slice(0, 4)])).toBe(false)
  expect(isOn(alarm, [...swept, ...NONE.slice(0, 7)])).toBe(true)
  expect(isOn(alarm, [...swept, ...NONE, 1])).toBe(false)
})

describe.each(alarms)('$id', ({ id, properties }) => {
  test('tells its topic when it is red and when it is green again: its code, the query, and what to do', () => {
    expect(properties).toMatchObject({ AlarmActions: [{ Ref: 'Alarms' }], OKActions: [{ Ref: 'Alarms' }] })
    const text = String(properties.AlarmDescription)
    expect(text.length).toBeLessThanOrEqual(1_024)
    const [, code, log, query, anchor = ''] =
      /^(\w+): .+\nWhat happened, .+ log group serverless-agent-dev-(\w+)-\.\.\.: (.+)\nWhat to do: docs\/trouble\.md#(\w+)$/.exec(
        text,
      ) ?? []
    expect(code).toBe(id)
    expect(resources[log ?? '']?.Type).toBe('AWS::Logs::LogGroup')
    expect(query).toMatch(/^filter .+ \| (stats|fields|parse) /)
    expect(headings, `docs/trouble.md has no section ### ${id}`).toContain(anchor)
  })

  test('asks the log for codes that it has', () => {
    const asked = [...String(properties.AlarmDescription).matchAll(/"([a-z_]+\.[a-z_]+)"/g)].map(
      ([, code = '']) => code,
    )
    const source = globSync(['lib/**/*.ts', 'functions/*.ts'])
      .map((file) => readFileSync(file, 'utf8'))
      .join()
    for (const code of asked) if (code !== 'platform.report') expect(source, code).toContain(`'${code}'`)
  })
})

/** As GitHub makes anchors of headings. */
const headings = readFileSync('docs/trouble.md', 'utf8')
  .split('\n')
  .flatMap((line) => /^#+ (.+)$/.exec(line)?.[1] ?? [])
  .map((text) =>
    text
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

/** The codes that count, the alarm that each is for, and how many of them are one: within 5 minutes, or 15. */
const COUNTED: [name: MetricName, alarm: string, times: number, minutes: number][] = [
  ['WakeUpsDead', 'FaultsAlarm', 1, 5],
  ['ChangesParked', 'FaultsAlarm', 1, 5],
  ['StreamStopped', 'FaultsAlarm', 1, 5],
  ['WorkGivenUp', 'FaultsAlarm', 1, 5],
  ['OutboxOverdue', 'FaultsAlarm', 4, 5],
  ['OutboxNotGivenUp', 'FaultsAlarm', 1, 5],
  ['StoreFaults', 'FaultsAlarm', 10, 5],
  ['KmsFaults', 'FaultsAlarm', 3, 5],
  ['SealingKeyUnusable', 'FaultsAlarm', 1, 5],
  ['AuthorizerFaults', 'FaultsAlarm', 3, 5],
  ['FunctionErrors', 'FaultsAlarm', 3, 5],
  ['SlowFunctions', 'FaultsAlarm', 3, 5],
  ['DestinationsClosed', 'UnreachableAlarm', 20, 15],
  ['EndpointDisabled', 'UnreachableAlarm', 5, 15],
  ['IssuerKeysNotConfirmed', 'UnreachableAlarm', 1, 15],
  ['OutboxCrowded', 'UnreachableAlarm', 3, 15],
]

describe('the codes of the log', () => {
  afterEach(() => void vi.restoreAllMocks())

  const lineOf = (name: MetricName): Record<string, unknown> => {
    Object.assign(process.env, { TABLE_NAME: 'agent', PUBLIC_URL: 'http://localhost:3000', LOG_LEVEL: 'info' })
    const written = vi.spyOn(console, 'log').mockReturnValue()
    measure('warn', 'any', { event: 'any.code' }, { values: { [name]: 1 } })
    return JSON.parse(String(written.mock.lastCall?.[0]))
  }

  test('that count are those of the list', () => {
    const counted = Object.entries(METRICS).flatMap(([name, share]) => (share === undefined ? [] : [name]))
    expect(counted.sort()).toEqual([...COUNTED.map(([name]) => name), 'DeadLetters'].sort())
  })

  test.each(COUNTED)(
    '%s sets off %s when there are %i of them within %i minutes, not for fewer',
    (name, id, n, minutes) => {
      const [[metric, weight] = ['', 0], ...others] = valuesOf(resources, lineOf(name))
      expect(others).toEqual([])
      const alarm = alarmOf(id)
      expect([metric, minutes * 60]).toEqual([alarm.metric, alarm.period])
      expect([weight * n >= alarm.Threshold, alarm.Threshold > weight * (n - 1)]).toEqual([true, true])
    },
  )

  test.each([{ status: 'timeout' }, { status: 'failure' }, { status: 'error', errorType: 'Runtime.ExitError' }])(
    'of an invocation that was killed count like one that failed: %j',
    (record) => {
      const values = valuesOf(resources, { type: 'platform.report', record })
      expect(values).toEqual([[alarmOf('FaultsAlarm').metric, METRICS.FunctionErrors.weight]])
    },
  )

  test.each([
    { type: 'platform.report', record: { status: 'success' } },
    // What a handler throws, as the authorizer does with a token that it rejects.
    { type: 'platform.report', record: { status: 'error', errorType: 'Error' } },
    { event: 'request.failed', level: 'error' },
    { event: 'outbox.delivery_ended', AttemptsFailed: 100 },
  ])('of anything else set off none: %j', (line) => {
    expect(valuesOf(resources, line)).toEqual([])
  })
})

describe('messages in a dead-letter queue', () => {
  test('raise the alarm once, and again when they are more', () => {
    const alarm = alarmOf('DeadLettersAlarm')
    expect(valuesOf(resources, { alarm: 'DeadLettersAlarm', weight: 2 })).toEqual([[alarm.metric, 2]])
    // It is counted every five minutes, a little sooner or later: no period is without a count.
    expect([alarm.statistic, alarm.period]).toEqual(['Maximum', 600])
    expect(isOn(alarm, [...NONE, 1])).toBe(true)
    expect(isOn(alarm, [2, 2, 2, 2])).toBe(false)
    expect(isOn(alarm, [2, 2, 2, 3])).toBe(true)
    expect(isOn(alarm, [2, 2, 3, 3])).toBe(true)
    for (const after of [[3, 3, 3], [2, 0, 0], NONE]) expect(isOn(alarm, [2, 2, 3, ...after])).toBe(false)
  })

  test('is counted by the sweep, of every such queue', () => {
    const queues = idsOf('AWS::SQS::Queue').filter((id) => /Dead|Failures/.test(id))
    expect(queues).toHaveLength(4)
    const { Variables } = Object(resources.SweepOutboxLambdaFunction?.Properties.Environment)
    expect(Object.values(Variables)).toEqual(expect.arrayContaining(queues.map((Ref) => ({ Ref }))))
  })
})

describe('alarms are heard', () => {
  test('through a topic without a key: CloudWatch may use none of AWS, and an alarm has no content', () => {
    expect(resources.Alarms?.Properties?.KmsMasterKeyId).toBeUndefined()
    expect(idsOf('AWS::KMS::Key')).toEqual(['SealingKey'])
    expect(Object(resources.AlarmsPolicy?.Properties.PolicyDocument).Statement).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: { Ref: 'Alarms' },
        // Or CloudWatch would publish for any account.
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ])
  })

  test('not without the setting', () => {
    expect(idsOf('AWS::SNS::Subscription')).toEqual([])
  })
})

describe('what an idle stage costs', () => {
  const rows = idleCost(resources)
  const sum = (of: 'dollars' | 'withFree') => rows.reduce((total, row) => total + row[of], 0)

  test('is $3.60 a month at most, and $2.10 with the free tier', () => {
    expect(sum('dollars')).toBeLessThanOrEqual(3.6)
    expect(sum('withFree')).toBeLessThanOrEqual(2.1)
  })

  test('has no more than ten metrics in alarms, and none of our own: filters give no value where nothing happens', () => {
    expect(alarms.length).toBeLessThanOrEqual(10)
    for (const [, { Properties }] of ofType(resources, 'AWS::Logs::MetricFilter'))
      expect(JSON.stringify(Properties)).not.toContain('DefaultValue')
    expect(idsOf('AWS::CloudWatch::Dashboard')).toEqual([])
  })

  test('stands in docs/cost.md', () => {
    const page = readFileSync('docs/cost.md', 'utf8')
    const dollars = (value: number) => `$${value.toFixed(2)}`
    for (const { what, count, dollars: all, withFree } of rows)
      expect(page).toContain(`| ${what} | ${count} | ${dollars(all)} | ${dollars(withFree)} |`)
    expect(page).toContain(`| together | | **${dollars(sum('dollars'))}** | **${dollars(sum('withFree'))}** |`)
    // Each of the first two rotations of the key.
    const inYear = (year: number, of: 'dollars' | 'withFree') => dollars(sum(of) + year - 1)
    expect(page).toContain(`${inYear(2, 'dollars')} in the second year, ${inYear(3, 'dollars')} from the third on`)
    expect(page).toContain(`(${inYear(2, 'withFree')} and ${inYear(3, 'withFree')} with the free tier)`)
    expect(readFileSync('README.md', 'utf8')).toContain(
      `${inYear(1, 'dollars')} a month, ${inYear(1, 'withFree')} with`,
    )
  })
})
