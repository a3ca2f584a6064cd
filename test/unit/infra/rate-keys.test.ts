/** The keys by which callers are counted. */
import { expect, test } from 'vitest'
import { ratesTemplate } from '../../../infra/gateway/rate-keys.ts'
import { ofType } from '../../../infra/service.ts'

test('they are made one after the other, of which an account may make five a second, and each is in the plan', () => {
  const { Resources } = ratesTemplate({ Type: 'AWS::ApiGateway::UsagePlan', Properties: {} })
  const keys = ofType(Resources, 'AWS::ApiGateway::ApiKey')
  expect(keys.length).toBeGreaterThan(1)
  expect(keys.map(([, { DependsOn }]) => DependsOn)).toEqual([undefined, ...keys.slice(0, -1).map(([id]) => [id])])
  expect(ofType(Resources, 'AWS::ApiGateway::UsagePlanKey').map(([, { Properties }]) => Properties.KeyId)).toEqual(
    keys.map(([Ref]) => ({ Ref })),
  )
})
