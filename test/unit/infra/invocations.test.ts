/** The policies by which the API may invoke functions. */
import { expect, test } from 'vitest'
import { invocationPolicies } from '../../../infra/gateway/invocations.ts'

test('one names as many functions as IAM takes characters, which are 50 with names of 48', () => {
  const functions = Array.from({ length: 101 }, (_, index) => ({ arn: `arn ${index}`, name: 'x'.repeat(48) }))
  const policies = Object.values(invocationPolicies(functions, 'ApiRole'))
  const named = policies.map(({ Properties }): string[] => Object(Properties.PolicyDocument).Statement[0].Resource)
  expect(named.map(({ length }) => length)).toEqual([50, 50, 1])
  expect(named.flat()).toEqual(functions.map(({ arn }) => arn))
})
