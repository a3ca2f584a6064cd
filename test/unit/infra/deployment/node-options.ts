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

test('every function runs on the Node that bundles are made for, with the newest code only', () => {
  for (const [id, { Properties }] of ofType(resources, 'AWS::Lambda::Function'))
    expect({ id, ...Properties }).toMatchObject({ id, Runtime: 'nodejs24.x', Architectures: ['arm64'] })
  // Lambda would keep the code of each version, of which an account has 75 GB.
  expect(ofType(resources, 'AWS::Lambda::Version')).toEqual([])
})
