/** Where the functions write their log. */
import { expect, test } from 'vitest'
import { ofType } from '../../../support/stage/template.ts'
import { resources } from './packaged.ts'

test('all functions write to one log group, which keeps it for 30 days', () => {
  expect(ofType(resources, 'AWS::Logs::LogGroup').map(([id]) => id)).toEqual(['LogGroup', 'AccessLog'])
  for (const [, { Properties }] of ofType(resources, 'AWS::Logs::LogGroup'))
    expect(Properties).toEqual({ RetentionInDays: 30 })
  const functions = ofType(resources, 'AWS::Lambda::Function')
  expect(functions.length).toBeGreaterThan(20)
  for (const [id, { Properties }] of functions) {
    expect({ id, logs: Properties.LoggingConfig }).toEqual({
      id,
      logs: { LogGroup: { Ref: 'LogGroup' }, LogFormat: 'JSON', ApplicationLogLevel: 'TRACE', SystemLogLevel: 'INFO' },
    })
  }
})
