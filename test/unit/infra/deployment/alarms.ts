/**
 * The alarms as they are deployed: each is tried on metrics in which all is well, in which its cause is there, and
 * after it.
 */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { FINAL_STATES, FORMATS, METRICS } from '../../../../lib/metrics.ts'
import { ofType } from '../../../support/stage/template.ts'
import { AlarmProperties, statesOf, watchedBy } from '../../../support/watch/alarm-state.ts'
import { RecordedMetrics } from '../../../support/watch/recorded-metrics.ts'
import { fill, HAND_MADE, SWEEPS, scenarioOf, WELL } from '../../../support/watch/scenarios.ts'
import { resources } from './packaged.ts'

const alarms = ofType(resources, 'AWS::CloudWatch::Alarm').map(
  ([id, { Properties }]) => [id, v.parse(AlarmProperties, Properties), Properties] as const,
)
const watched = (alarm: AlarmProperties) => watchedBy(alarm).map((key) => JSON.parse(key) as [string, string, unknown])

/** Minutes: of a day in which all is well, an hour of something, and what follows. */
const BEGIN = 24 * 60
const END = BEGIN + 60
const LAST = END + 24 * 60

test('there is a scenario of each alarm, and of no other', () => {
  expect(alarms.filter(([id, alarm]) => scenarioOf(id, alarm) === undefined).map(([id]) => id)).toEqual([])
  expect(alarms.map(([id]) => id)).toEqual(expect.arrayContaining(HAND_MADE))
})

describe.each(alarms)('%s', (id, alarm, properties) => {
  const keys = watchedBy(alarm)
  const { cause, red, green } = scenarioOf(id, alarm) ?? { cause: {}, red: 0, green: 0 }
  const well = { ...WELL, ...SWEEPS }

  test('is quiet while all is well', () => {
    const recorded = new RecordedMetrics()
    fill(recorded, keys, well, { from: 0, to: BEGIN })
    // From the second evaluation of what was swept on.
    expect(new Set(statesOf(alarm, recorded, 10, BEGIN))).toEqual(new Set(['OK']))
  })

  // After it, traffic goes on as before it; or there is none at all, and metrics of AWS that count only what happens
  // have no data.
  test.each(['goes on', 'has ended'])(
    'is red while its cause is there, and green after it, when all else %s',
    (after) => {
      const recorded = new RecordedMetrics()
      fill(recorded, keys, well, { from: 0, to: BEGIN })
      fill(recorded, keys, id === 'SweepAlarm' ? {} : { ...SWEEPS, ...cause }, { from: BEGIN, to: END })
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

  test('tells its topic when it is red and when it is green again, and ends with what to do', () => {
    expect(properties).toMatchObject({ AlarmActions: [{ Ref: 'Alarms' }], OKActions: [{ Ref: 'Alarms' }] })
    const [, anchor = ''] = /docs\/trouble\.md#(\w+)$/.exec(String(properties.AlarmDescription)) ?? []
    expect(headings, `docs/trouble.md has no section ### ${id}`).toContain(anchor)
  })

  test('looks at no more than ten metrics, at each of them alike', () => {
    expect(keys.length).toBeGreaterThan(0)
    expect(keys.length).toBeLessThanOrEqual(10)
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

describe('somebody is woken', () => {
  test('when functions that nobody waits for fail, or take too long', () => {
    const functions = (metric: string) =>
      alarms
        .flatMap(([, alarm]) => watched(alarm))
        .flatMap(([, name, dimensions]) => (name === metric ? [dimensions] : []))
    const background = [
      'dispatchChanges',
      'deliver',
      'deliverSlowly',
      'wake',
      'sweepOutbox',
      'recoverWakeUps',
      'runJobs',
    ]
    for (const key of background) {
      const id = `${key.replace(/^./, (letter) => letter.toUpperCase())}LambdaFunction`
      expect(functions('Errors')).toContainEqual([['FunctionName', { Ref: id }]])
      expect(functions('Duration')).toContainEqual([['FunctionName', { Ref: id }]])
    }
    expect(functions('Duration')).toContainEqual([['FunctionName', { Ref: 'AuthorizerLambdaFunction' }]])
  })

  test('but not by tokens that are refused, which the authorizer says by an error', () => {
    const errors = alarms.flatMap(([, alarm]) => watched(alarm)).filter(([, name]) => name === 'Errors')
    expect(JSON.stringify(errors)).not.toContain('Authorizer')
  })

  test('by each queue whose messages are not handled', () => {
    const queues = ofType(resources, 'AWS::SQS::Queue').map(([id]) => id)
    const worked = queues.filter((id) => !/Dead|Failures/.test(id))
    expect(worked.length).toBeGreaterThan(3)
    const old = alarms.find(([id]) => id === 'OldWakeUpsAlarm')?.[1] as AlarmProperties
    for (const id of worked) {
      const recorded = new RecordedMetrics()
      const cause = { [`AWS/SQS ApproximateAgeOfOldestMessage "${id}"`]: () => [3_600] }
      fill(recorded, watchedBy(old), { ...WELL, ...cause }, { from: 0, to: 60 })
      expect(statesOf(old, recorded, 20, 60), id).toContain('ALARM')
    }
  })

  test('by every dead-letter queue that grows', () => {
    const queues = ofType(resources, 'AWS::SQS::Queue').map(([id]) => id)
    const dead = queues.filter((id) => /Dead|Failures/.test(id))
    expect(dead.length).toBeGreaterThan(2)
    const growth = alarms.find(([id]) => id === 'DeadLettersAlarm')?.[1]
    expect(growth && watchedBy(growth).join()).toMatch(new RegExp(dead.map((id) => `(?=.*${id})`).join('')))
  })
})

describe('what lies in a dead-letter queue', () => {
  const growth = alarms.find(([id]) => id === 'DeadLettersAlarm')?.[1] as AlarmProperties
  const keys = watchedBy(growth)

  test('makes nobody get up again, however long it lies there, and more of it does', () => {
    const recorded = new RecordedMetrics()
    const name = 'AWS/SQS ApproximateNumberOfMessagesVisible'
    fill(recorded, keys, { [name]: () => [2] }, { from: 0, to: 24 * 60 })
    fill(recorded, keys, { [name]: () => [3] }, { from: 24 * 60, to: 30 * 60 })
    const states = statesOf(growth, recorded, 30, 30 * 60)
    expect(states.slice(0, 23 * 60)).not.toContain('ALARM')
    expect(states.slice(23 * 60)).toContain('ALARM')
    expect(states.at(-1)).toBe('OK')
  })
})

test('that nobody counts what waits is noticed, though the sweep runs; that one count is missing is not', () => {
  const alarm = alarms.find(([id]) => id === 'WaitingAlarm')?.[1] as AlarmProperties
  const keys = watchedBy(alarm)
  const recorded = new RecordedMetrics()
  const uncounted = Object.fromEntries(Object.entries(SWEEPS).filter(([name]) => !name.includes('OutboxWaiting')))
  expect(Object.keys(uncounted)).toHaveLength(1)
  fill(recorded, keys, SWEEPS, { from: 0, to: 60 })
  fill(recorded, keys, uncounted, { from: 60, to: 65 })
  fill(recorded, keys, SWEEPS, { from: 65, to: 120 })
  fill(recorded, keys, uncounted, { from: 120, to: 150 })
  fill(recorded, keys, SWEEPS, { from: 150, to: 180 })
  const states = statesOf(alarm, recorded, 0, 180)
  expect(new Set(states.slice(10, 120))).toEqual(new Set(['OK']))
  expect(states.slice(120, 143)).toContain('ALARM')
  expect(states.at(-1)).toBe('OK')
})

describe('alarms are heard', () => {
  const propertiesOf = (id: string) => resources[id]?.Properties ?? {}

  test('through a topic that is encrypted with a key which CloudWatch may use', () => {
    expect(propertiesOf('Alarms').KmsMasterKeyId).toEqual({ Ref: 'AlarmsKey' })
    const { Statement } = Object(propertiesOf('AlarmsKey').KeyPolicy)
    expect(Statement).toContainEqual({
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      Resource: '*',
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    })
    expect(Object(propertiesOf('AlarmsPolicy').PolicyDocument).Statement).toMatchObject([
      { Principal: { Service: 'cloudwatch.amazonaws.com' }, Action: 'sns:Publish' },
    ])
  })

  test('by nobody who was not named', () => {
    expect(ofType(resources, 'AWS::SNS::Subscription')).toEqual([])
  })
})

/** US dollars a month, of a metric that has a value in each hour. */
const PRICE_OF_METRIC = 0.3

/** `ExchangesEnded` is one for each format and state; filters make metrics of Lambda's own lines. */
const ownMetrics = (): number =>
  Object.keys(METRICS).length -
  1 +
  FORMATS.length * FINAL_STATES.length +
  ofType(resources, 'AWS::Logs::MetricFilter').length

describe('what watching costs', () => {
  const guide = readFileSync('docs/run.md', 'utf8')
  const [, section = ''] = /\n## What watching costs\n([\s\S]*?)\n## /.exec(guide) ?? []
  const dollars = (text = ''): number => Number(/\$([\d.]+)/.exec(text)?.[1])
  const inAlarms = alarms.flatMap(([, alarm]) => watchedBy(alarm)).length
  const rows = section
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, , , price = '']) => price.startsWith('$'))
    .map(([, what = '', many = '', price, cost]) => {
      const count = what === 'metrics in alarms' ? inAlarms : Number.parseInt(many, 10)
      return { what, many, price, cost: /^\d+(?= |$)/.test(many) ? count * dollars(price) : dollars(cost) }
    })
  const sum = rows.reduce((total, { cost }) => total + cost, 0)

  /** The lines that docs/run.md has to have. */
  test.each([
    `| metrics in alarms | ${inAlarms} | $0.10 | $${(inAlarms * 0.1).toFixed(2)} |`,
    // Free are ten metrics in alarms, the dashboard, five metrics of our own, and logs.
    `| | | | **$${sum.toFixed(2)}**, of which $${(1 + 3 + 1.5 + 0.03).toFixed(2)} are free |`,
    `all ${ownMetrics()} metrics at work are $${(ownMetrics() * PRICE_OF_METRIC).toFixed(2)}.`,
  ])('stands in its section of docs/run.md: %s', (line) => expect(section).toContain(line))

  test('is what its parts come to', () => {
    expect(rows.length).toBeGreaterThan(3)
    for (const { what, many, price, cost } of rows)
      expect(section).toContain(`| ${what} | ${many} | ${price} | $${cost.toFixed(2)} |`)
  })

  test('is most of what an idle stage costs, as docs/cost.md adds up and the README says', () => {
    const said = (page: string, pattern: RegExp): number => Number(pattern.exec(readFileSync(page, 'utf8'))?.[1])
    const others = ['The key that seals is', 'which SQS bills \\('].map((words) =>
      said('docs/cost.md', new RegExp(`${words}\\s?\\$([\\d.]+)`)),
    )
    const idle = others.reduce((total, one) => total + one, sum)
    for (const [page, pattern] of [
      ['docs/cost.md', /idle stage costs about \$(\d+) a month/],
      ['README.md', /Without traffic it costs about \$(\d+) a month/],
    ] as const)
      expect(Math.abs(said(page, pattern) - idle), `${page}: it is $${idle}`).toBeLessThan(1)
  })
})
