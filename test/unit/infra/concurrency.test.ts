/** What the queues may take of an account's concurrency, from a new account's 10 on. */
import { describe, expect, test } from 'vitest'
import { applyCaps, applyDidcommRate, capLosses, capsOf, didcommLosses } from '../../../infra/deployment/concurrency.ts'
import { fitTemplate } from '../../../infra/deployment/fit-template.ts'
import type { Template } from '../../../infra/service.ts'

const SIZES = [8, 10, 11, 12, 20, 50, 100, 200, 500, 1000, 1500, 3000, 10_000]

test.each(SIZES)('of %d concurrent functions deliveries leave at least half, and get what Lambda accepts', (size) => {
  const { deliver, deliverSlowly, wake, jobs } = capsOf(size)
  expect(deliver + deliverSlowly).toBeLessThanOrEqual(size / 2)
  for (const cap of [deliver, deliverSlowly, wake, jobs]) {
    expect(cap).toBeGreaterThanOrEqual(2)
    expect(cap).toBeLessThanOrEqual(1000)
    expect(Number.isInteger(cap)).toBe(true)
  }
})

/** Of removals: serverless.yml has it. */
const REMOVALS = 2

test.each(SIZES.filter((size) => size >= 20))('of %d all queues together leave at least half', (size) => {
  const { deliver, deliverSlowly, wake, jobs } = capsOf(size)
  expect(deliver + deliverSlowly + wake + jobs + REMOVALS).toBeLessThanOrEqual(size / 2)
})

test('a larger account delivers no less', () => {
  const caps = SIZES.map((size) => capsOf(size).deliver)
  expect(caps).toEqual(caps.toSorted((a, b) => a - b))
  expect(caps.at(-1)).toBe(500)
})

test('a setting wins', () => {
  expect(capsOf(10, { DELIVERY_CONCURRENCY: 9 })).toMatchObject({ deliver: 9, deliverSlowly: 2 })
  expect(capsOf(1000, { SLOW_DELIVERY_CONCURRENCY: 7 })).toMatchObject({ deliverSlowly: 7 })
})

describe('an operator reads', () => {
  test('what a new account loses, and how to get more', () => {
    const [loss, ...others] = capLosses(10, capsOf(10))
    expect(loss).toMatch(/10 concurrent functions: 2 for deliveries.*6 remain for operations.*L-B99A9384/)
    expect(others).toEqual([])
  })

  test('nothing where nothing is lost', () => {
    expect(capLosses(1000, capsOf(1000))).toEqual([])
    expect(capLosses(1000, { ...capsOf(1000), deliver: 50 })).toEqual([])
    expect(capLosses(1000, { ...capsOf(1000), deliver: 400, deliverSlowly: 100 })).toEqual([])
  })

  test('that a setting takes more than half', () => {
    const settings = { DELIVERY_CONCURRENCY: 600, SLOW_DELIVERY_CONCURRENCY: 100 }
    expect(capLosses(1000, capsOf(1000, settings))).toEqual([expect.stringContaining('may take 700 of the account')])
  })
})

describe('a template', () => {
  const mapping = (queue: string) => ({
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: { 'Fn::GetAtt': [queue, 'Arn'] }, ScalingConfig: { MaximumConcurrency: 500 } },
  })
  const template = (): Template => ({
    Resources: {
      A: mapping('WakeUpQueue'),
      B: mapping('SlowWakeUpQueue'),
      C: mapping('TimerQueue'),
      D: mapping('JobQueue'),
      E: mapping('RemovalQueue'),
      Stream: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: { EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] } },
      },
    },
    Outputs: {},
  })

  test('gets a cap for every queue but that of removals, and none for the stream, which takes none', () => {
    const fitted = template()
    applyCaps(fitted, { deliver: 40, deliverSlowly: 5, wake: 3, jobs: 4 })
    const caps = Object.values(fitted.Resources).map(({ Properties }) => Properties.ScalingConfig)
    expect(caps).toEqual([40, 5, 3, 4, 500, undefined].map((cap) => cap && { MaximumConcurrency: cap }))
  })

  const capped = (concurrency: number): Template => {
    const expected = template()
    applyCaps(expected, capsOf(concurrency))
    return expected
  }

  test('is fitted to what the account has not reserved for single functions', () => {
    const fitted = template()
    fitTemplate(fitted, {}, { lambda: { value: { concurrency: 1000, unreserved: 100 } }, existingTable: undefined })
    expect(fitted).toEqual(capped(100))
  })

  test('is that of a new account if the account’s size is unknown', () => {
    const fitted = template()
    const failure = { kind: 'denied', action: 'lambda:GetAccountSettings', message: 'no right' } as const
    fitTemplate(fitted, {}, { lambda: { failure }, existingTable: undefined })
    expect(fitted).toEqual(capped(10))
  })

  test('is not made for an earlier table that is not there', () => {
    const account = { lambda: { value: { concurrency: 1000, unreserved: 1000 } }, existingTable: { value: undefined } }
    const settings = { EXISTING_TABLE: 'old', EXISTING_KEY: 'arn' }
    expect(() => fitTemplate(template(), settings, account)).toThrow('EXISTING_TABLE=old: there is no such table')
  })

  test('is not made for an earlier table that cannot be read', () => {
    const failure = { kind: 'denied', action: 'dynamodb:DescribeTable', message: 'no right' } as const
    const account = { lambda: { value: { concurrency: 1000, unreserved: 1000 } }, existingTable: { failure } }
    const settings = { EXISTING_TABLE: 'old', EXISTING_KEY: 'arn' }
    expect(() => fitTemplate(template(), settings, account)).toThrow('EXISTING_TABLE: no right')
  })

  test('is fitted to a usual account where none is asked, and has the name of its table that the settings say', () => {
    const fitted = template()
    const Table = { Type: 'AWS::DynamoDB::Table', Properties: {} }
    fitted.Resources.Table = Table
    fitTemplate(fitted, {}, undefined)
    expect(fitted.Resources).toEqual({ ...capped(1000).Resources, Table })
    fitTemplate(fitted, { TABLE_NAME: 'agents' }, undefined)
    expect(Table.Properties).toEqual({ TableName: 'agents' })
  })
})

describe('the rate of envelopes', () => {
  const setting = (ResourcePath: string, rate: number | string) => ({
    ...{ HttpMethod: 'POST', ResourcePath },
    ...{ ThrottlingRateLimit: rate, ThrottlingBurstLimit: rate },
  })
  /** The rates of all methods, and of the two addresses, in an account of this size. */
  const ratesIn = (concurrency: number, usual: number | string, DIDCOMM_RATE?: number) => {
    const MethodSettings = [setting('/*', 500), setting('/~1didcomm', usual), setting('/~1didcomm~1{tenantId}', usual)]
    const fitted: Template = { Resources: { ApiStage: { Type: '', Properties: { MethodSettings } } }, Outputs: {} }
    applyDidcommRate(fitted, concurrency, { DIDCOMM_RATE })
    return MethodSettings.map(({ ThrottlingRateLimit, ThrottlingBurstLimit }) => {
      expect(ThrottlingBurstLimit).toBe(ThrottlingRateLimit)
      return ThrottlingRateLimit
    })
  }

  test('is at most the number of concurrent functions, and other methods are unchanged', () => {
    expect(ratesIn(10, 250)).toEqual([500, 10, 10])
    expect(ratesIn(100, '1000')).toEqual([500, 100, 100])
    expect(ratesIn(1000, 250)).toEqual([500, 250, 250])
  })

  test('is what is set, of which an operator is warned where the account has no room for it', () => {
    expect(ratesIn(10, 250, 250)).toEqual([500, 250, 250])
    expect(didcommLosses(10, { DIDCOMM_RATE: 250 })).toEqual([
      expect.stringMatching(/may take 100 of the account's 10 concurrent functions: set 10 or less/),
    ])
    expect(didcommLosses(10, { DIDCOMM_RATE: 13 })).toHaveLength(1)
    expect(didcommLosses(10, { DIDCOMM_RATE: 12 })).toEqual([])
    expect(didcommLosses(1000, { DIDCOMM_RATE: 1250 })).toEqual([])
    expect(didcommLosses(10, {})).toEqual([])
  })
})
