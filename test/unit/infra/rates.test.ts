/** The local gateway's rates: each method has its own bucket, and those without a token a separate rate. */
import { expect, test } from 'vitest'
import { ratesOf } from '../../../infra/local/rates.ts'
import type { Service } from '../../../infra/service.ts'
import { rateKeys } from '../../../lib/auth/rate-key.ts'

const setting = (HttpMethod: string, ResourcePath: string, rate: number | string) => ({
  HttpMethod,
  ResourcePath,
  ThrottlingRateLimit: rate,
  ThrottlingBurstLimit: rate,
})

const serviceOf = (rate: number): Service =>
  Object({
    resources: {
      Resources: {
        ApiStage: {
          Properties: {
            MethodSettings: [setting('*', '/*', 3), setting('POST', '/~1didcomm~1{tenantId}', '1')],
          },
        },
        TenantRate: { Properties: { Throttle: { RateLimit: rate, BurstLimit: rate } } },
      },
    },
  })

/** The results of this many concurrent requests. */
const countsOf = (method: string, requests: number) => {
  const rates = ratesOf(serviceOf(0))
  return Array.from({ length: requests }, () => rates.countMethod(method))
}

test('a method with its own setting has that rate', () => {
  expect(countsOf('post /didcomm/{tenantId}', 2)).toEqual([undefined, 'THROTTLED'])
})

test.each(['get /health', 'post /didcomm', 'get /didcomm/{tenantId}'])(
  '%s has the rate of all other methods',
  (method) => {
    expect(countsOf(method, 4)).toEqual([undefined, undefined, undefined, 'THROTTLED'])
  },
)

test('what one method takes, another still has', () => {
  const rates = ratesOf(serviceOf(0))
  for (let count = 0; count < 4; count++) rates.countMethod('get /health')
  expect(rates.countMethod('get /connections')).toBeUndefined()
})

test('tenants are counted by their keys only if they have a rate', () => {
  const [key = '', other = ''] = rateKeys('rate')
  const { countCaller } = ratesOf(serviceOf(1))
  const counts = [key, key, other, 'unknown', undefined].map(countCaller)
  expect(counts).toEqual([undefined, 'THROTTLED', undefined, 'INVALID_API_KEY', 'INVALID_API_KEY'])
  for (const one of [key, key, 'unknown', undefined]) expect(ratesOf(serviceOf(0)).countCaller(one)).toBeUndefined()
})
