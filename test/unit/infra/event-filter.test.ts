/** Filter patterns: what of a stream a function gets to see. */
import { describe, expect, test } from 'vitest'
import { eventFilter } from '../../../infra/local/event-filter.ts'

const change = (eventName: string, kind?: string) => ({
  eventName,
  dynamodb: { NewImage: { pk: { S: 'a' }, ...(kind !== undefined && { kind: { S: kind } }) } },
})

const kinds = (...values: string[]) => ({ dynamodb: { NewImage: { kind: { S: values } } } })

describe('without patterns', () => {
  test.each([[undefined], [[]]])('everything passes: %j', (patterns) => {
    expect(eventFilter(patterns)(change('INSERT'))).toBe(true)
    expect(eventFilter(patterns)(null)).toBe(true)
  })
})

describe('a pattern', () => {
  const passes = eventFilter([{ eventName: ['INSERT', 'MODIFY'], ...kinds('record', 'outbox') }])

  test.each([
    ['INSERT', 'record'],
    ['INSERT', 'outbox'],
    ['MODIFY', 'record'],
  ])('lets one of its values through: %s of %s', (eventName, kind) => {
    expect(passes(change(eventName, kind))).toBe(true)
  })

  test.each([
    ['REMOVE', 'record'],
    ['INSERT', 'entry'],
    ['INSERT', 'Record'],
    ['insert', 'record'],
    ['INSERT', undefined],
  ])('lets nothing else through: %s of %s', (eventName, kind) => {
    expect(passes(change(eventName, kind))).toBe(false)
  })

  test.each([undefined, null, 'INSERT', {}, { eventName: 'INSERT', dynamodb: 'record' }])(
    'lets through nothing that has other fields: %j',
    (event) => {
      expect(passes(event)).toBe(false)
    },
  )

  test('tells numbers from their digits', () => {
    expect(eventFilter([{ size: [1] }])({ size: 1 })).toBe(true)
    expect(eventFilter([{ size: [1] }])({ size: '1' })).toBe(false)
  })

  test('is not satisfied by what every object has', () => {
    expect(eventFilter([{ constructor: ['x'] }])({})).toBe(false)
  })
})

test('one pattern of several is enough, and each holds as a whole', () => {
  const passes = eventFilter([
    { eventName: ['INSERT'], ...kinds('event') },
    { eventName: ['MODIFY'], ...kinds('registration') },
  ])
  expect(passes(change('INSERT', 'event'))).toBe(true)
  expect(passes(change('MODIFY', 'registration'))).toBe(true)
  expect(passes(change('INSERT', 'registration'))).toBe(false)
  expect(passes(change('MODIFY', 'event'))).toBe(false)
})

describe('patterns that only AWS supports are rejected at the start, in one line', () => {
  test.each([
    { eventName: [{ prefix: 'INS' }] },
    { eventName: [{ exists: false }] },
    { dynamodb: { NewImage: { kind: { S: ['record', { 'anything-but': ['mark'] }] } } } },
    { eventName: 'INSERT' },
    'INSERT',
    { eventName: null },
  ])('%j', (pattern) => {
    expect(() => eventFilter([{ eventName: ['INSERT'] }, pattern])).toThrow(
      /^The local stage knows filter patterns .+$/,
    )
  })
})
