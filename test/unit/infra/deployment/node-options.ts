/** Node's own options for every function. */
import { expect, test } from 'vitest'
import { NODE_OPTIONS } from '../../../support/bench/bundled-stage.ts'
import { ofType } from '../../../support/stage/template.ts'
import { resources } from './packaged.ts'

test('every function runs with the flag that keeps it from turning text into code', () => {
  const functions = ofType(resources, 'AWS::Lambda::Function')
  expect(functions.length).toBeGreaterThan(20)
  for (const [id, { Properties }] of functions)
    expect({ id, ...Object(Properties.Environment).Variables }).toMatchObject({ id, NODE_OPTIONS })
})
