/**
 * The alarms as they are deployed: each is tried on metrics in which all is well, in which its cause is there, and
 * after it; and each code of the log on the lines that the service writes.
 */
import { globSync, readFileSync } from 'node:fs'
import * as v from 'valibot'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { METRICS, type MetricName, measure } from '../../../../lib/metrics.ts'
import { ofType } from '../../../support/stage/template.ts'
import { AlarmProperties, statesOf, watchedBy } from '../../../support/watch/alarm-state.ts'
import { idleCost } from '../../../support/watch/idle-cost.ts'
import { RecordedMetrics } from '../../../support/watch/recorded-metrics.ts'
import { fill, SCENARIOS, SWEEPS, WELL } from '../../../support/watch/scenarios.ts'
import { resources } from './packaged.ts'

const alarms = ofType(resources, 'AWS::CloudWatch::Alarm').map(
  ([id, { Properties }]) => [id, v.parse(AlarmProperties, Properties), Properties] as const,
)
const idsOf = (type: string) => ofType(resources, type).map(([id]) => id)

/** Minutes: of a day in which all is well, an hour of something, and what follows. */
const BEGIN = 24 * 60
const END = BEGIN + 60
const LAST = END + 24 * 60

test('there is a scenario of each alarm, and of no other', () => {
  expect(alarms.map(([id]) => id).sort()).toEqual(Object.keys(SCENARIOS).sort())
})

describe.each(alarms)('%s', (id, alarm, properties) => {
  const keys = watchedBy(alarm)
  const { cause, red, green, brief = 0 } = SCENARIOS[id] ?? { cause: {}, red: 0, green: 0 }
  const bad = id === 'SweepAlarm' ? {} : { ...SWEEPS, ...cause }
  const well = { ...WELL, ...SWEEPS }

  test('is quiet while all is well', () => {
    const recorded = new RecordedMetrics()
    fill(recorded, keys, well, { from: 0, to: BEGIN })
    // From the second evaluation of what was swept on.
    expect(new Set(statesOf(alarm, recorded, 10, BEGIN))).toEqual(new Set(['OK']))
  })

  test.runIf(brief > 0)('is quiet while its cause is brief', () => {
    const recorded = new RecordedMetrics()
    fill(recorded, keys, well, { from: 0, to: BEGIN })
    fill(recorded, keys, bad, { from: BEGIN, to: BEGIN + brief })
    fill(recorded, keys, well, { from: BEGIN + brief, to: END })
    expect(new Set(statesOf(alarm, recorded, 10, END))).toEqual(new Set(['OK']))
  })

  // After it, traffic goes on as before it; or there is none at all, and metrics of AWS that count only what happens
  // have no data.
  test.each(['goes on', 'has ended'])(
    'is red while its cause is there, and green after it, when all else %s',
    (after) => {
      const recorded = new RecordedMetrics()
      fill(recorded, keys, well, { from: 0, to: BEGIN })
      fill(recorded, keys, bad, { from: BEGIN, to: END })
      fill(recorded, keys, after === 'goes on' ? well : SWEEPS, { from: END, to: LAST })
      const states = statesOf(alarm, recorded, BEGIN - 60, LAST)
      const at = (minute: number) => states[minute - BEGIN + 60]
      expect(states.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 'OK'))
      const begun = states.slice(60).indexOf('ALARM')
      expect(begun).toBeGreaterThan(-1)
      expect(begun).toBeLessThanOrEqual(red)
      if (green > 0) expect(at(END - 1)).toBe('ALARM')
      expect(new Set(states.slice(60 + 60 + green))).toEqual(new Set(['OK']))
    },
  )

  test('is not red in a new account, where nothing was ever measured; the sweep is heard of first', () => {
    const recorded = new RecordedMetrics()
    fill(recorded, keys, SWEEPS, { from: 1, to: 120 })
    expect(new Set(statesOf(alarm, recorded, 3, 120))).toEqual(new Set(['OK']))
  })

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

  test('looks at one metric', () => {
    expect(keys).toHaveLength(1)
    expect(String(JSON.stringify(properties))).not.toMatch(/SEARCH|METRICS\(/)
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

const alarmOf = (id: string): AlarmProperties => {
  const alarm = alarms.find(([one]) => one === id)?.[1]
  if (alarm === undefined) throw new Error(`there is no ${id}`)
  return alarm
}

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

  /** The states after so many lines in the minutes of a period of the alarm. */
  const statesAfter = (line: Record<string, unknown>, alarm: string, count: number, minutes: number) => {
    const recorded = new RecordedMetrics()
    for (let one = 0; one < count; one++) recorded.addLine(line, 90 + Math.floor((one * minutes) / count))
    return statesOf(alarmOf(alarm), recorded, 60, 240)
  }

  test('that count are those of the list', () => {
    const counted = Object.entries(METRICS).flatMap(([name, share]) => (share === undefined ? [] : [name]))
    expect(counted.sort()).toEqual([...COUNTED.map(([name]) => name), 'DeadLetters'].sort())
  })

  test.each(COUNTED)(
    '%s sets off %s when there are %i of them within %i minutes, not for fewer, and it ends',
    (name, alarm, times, minutes) => {
      const line = lineOf(name)
      const states = statesAfter(line, alarm, times, minutes)
      expect(states[0]).toBe('OK')
      expect(states).toContain('ALARM')
      expect(states.at(-1)).toBe('OK')
      expect(statesAfter(line, alarm, times - 1, minutes)).not.toContain('ALARM')
    },
  )

  test.each([{ status: 'timeout' }, { status: 'failure' }, { status: 'error', errorType: 'Runtime.ExitError' }])(
    'of three invocations that were killed set off FaultsAlarm, and not of two: %j',
    (record) => {
      const line = { type: 'platform.report', record }
      const states = statesAfter(line, 'FaultsAlarm', 3, 5)
      expect(states).toContain('ALARM')
      expect(states.at(-1)).toBe('OK')
      expect(statesAfter(line, 'FaultsAlarm', 2, 5)).not.toContain('ALARM')
    },
  )

  test.each([
    { type: 'platform.report', record: { status: 'success' } },
    // What a handler throws, as the authorizer does with a token that it refuses.
    { type: 'platform.report', record: { status: 'error', errorType: 'Error' } },
    { event: 'request.failed', level: 'error' },
    { event: 'outbox.delivery_ended', AttemptsFailed: 100 },
  ])('of anything else set off none: %j', (line) => {
    for (const id of ['FaultsAlarm', 'UnreachableAlarm', 'DeadLettersAlarm'])
      expect(statesAfter(line, id, 500, 60)).not.toContain('ALARM')
  })
})

describe('what lies in a dead-letter queue', () => {
  const growth = alarmOf('DeadLettersAlarm')
  const dead = (count: number) => ({ alarm: 'DeadLettersAlarm', weight: count })

  test('makes nobody get up again, however long it lies there, and more of it does', () => {
    const recorded = new RecordedMetrics()
    // The sweep takes a while before it counts: now and then that is the next minute.
    for (let minute = 60; minute < 30 * 60; minute += 5)
      recorded.addLine(dead(minute < 24 * 60 ? 2 : 3), minute % 25 === 0 ? minute + 1 : minute)
    const states = statesOf(growth, recorded, 30, 30 * 60)
    expect(states.slice(30, 60)).toContain('ALARM')
    expect(states.slice(60, 23 * 60)).not.toContain('ALARM')
    expect(states.slice(23 * 60)).toContain('ALARM')
    expect(states.at(-1)).toBe('OK')
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

  test('by nobody who was not named', () => {
    expect(idsOf('AWS::SNS::Subscription')).toEqual([])
  })
})

describe('what an idle stage costs', () => {
  const rows = idleCost(resources)
  const sum = (of: 'dollars' | 'withFree') => rows.reduce((total, row) => total + row[of], 0)

  test('is $3.60 a month at most, and $2 with the free tier', () => {
    expect(sum('dollars')).toBeLessThanOrEqual(3.6)
    expect(sum('withFree')).toBeLessThanOrEqual(2)
  })

  test('has no more than ten metrics in alarms, and none of our own: filters give no value where nothing happens', () => {
    expect(alarms.flatMap(([, alarm]) => watchedBy(alarm)).length).toBeLessThanOrEqual(10)
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
