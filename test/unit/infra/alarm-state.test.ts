/** The model of CloudWatch that the alarms are tried on, held against the tables of its documentation. */
import { describe, expect, test } from 'vitest'
import { type State, stateOf } from '../../support/watch/alarm-state.ts'
import { calculate } from '../../support/watch/metric-math.ts'

/** `0` is within the threshold, `X` over it, `-` missing; the oldest first. */
const datapoints = (text: string) => text.split(' ').map((one) => (one === '-' ? undefined : one === 'X' ? 10 : 0))

const evaluate = (
  text: string,
  least: number,
  TreatMissingData: 'breaching' | 'notBreaching' | 'ignore',
  before: State,
): State =>
  stateOf(
    {
      ...{ EvaluationPeriods: 3, DatapointsToAlarm: least, Threshold: 10, TreatMissingData },
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    },
    datapoints(text),
    before,
  )

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html */
describe('missing data', () => {
  test.each([
    ['0 - X - X', 3, 'OK', 'OK'],
    ['0 - - - -', 3, 'OK', 'OK'],
    ['- - - - -', 3, 'ALARM', 'OK'],
    ['0 X X - X', 3, 'ALARM', 'ALARM'],
    ['- - - - X', 3, 'ALARM', 'OK'],
    ['X - - - -', 3, 'ALARM', 'OK'],
    ['0 - X - X', 2, 'ALARM', 'ALARM'],
    ['0 0 X 0 X', 2, 'ALARM', 'ALARM'],
    ['0 - X - -', 2, 'ALARM', 'OK'],
    ['- - - - 0', 2, 'ALARM', 'OK'],
    ['- - - - X', 2, 'ALARM', 'OK'],
  ] as const)(
    'in %s, with %i of 3 to alarm, are %s when they breach and %s when they do not',
    (text, least, yes, no) => {
      expect([evaluate(text, least, 'breaching', 'OK'), evaluate(text, least, 'notBreaching', 'ALARM')]).toEqual([
        yes,
        no,
      ])
    },
  )

  test.each(['- - - - -', '- - - - X', 'X - - - -'])('in %s keep the state where they are ignored', (text) => {
    for (const state of ['OK', 'ALARM', 'INSUFFICIENT_DATA'] as const)
      expect(evaluate(text, 3, 'ignore', state)).toBe(state)
  })
})

describe('metric math', () => {
  const gap = [1, undefined, 3]

  test('has no data where one of two metrics has none, or where it is divided by 0', () => {
    expect(calculate('a + b', { a: gap, b: [1, 1, 1] })).toEqual([2, undefined, 4])
    expect(calculate('a / b', { a: [1, 1], b: [0, 2] })).toEqual([undefined, 0.5])
  })

  test('fills, chooses and takes differences', () => {
    expect(calculate('FILL(a, 0)', { a: gap })).toEqual([1, 0, 3])
    expect(calculate('IF(FILL(a, 0) >= 3, 1, 0)', { a: gap })).toEqual([0, 0, 1])
    expect(calculate('DIFF(FILL(a, 0) + b)', { a: gap, b: [5, 5, 5] })).toEqual([undefined, -1, 3])
  })

  test('multiplies before it adds, and reads brackets', () => {
    expect(calculate('2 + 3 * a', { a: [4] })).toEqual([14])
    expect(calculate('100 * (a - 1) / 2', { a: [4] })).toEqual([150])
  })

  test.each(['a +', 'SEARCH(a)', 'b', 'a a', 'FILL(a', 'a & a'])('refuses %s', (expression) => {
    expect(() => calculate(expression, { a: [1] })).toThrow()
  })
})
