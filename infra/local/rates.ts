/**
 * API Gateway's rates as token buckets: one of the stage, and below it one of each API key of the usage plan.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
import { TokenBucket } from 'limiter'
import * as v from 'valibot'
import { rateKeys } from '../../lib/auth/rate-key.ts'
import type { Service } from '../service.ts'

const Limit = v.pipe(v.union([v.string(), v.number()]), v.transform(Number))

const StageLimits = v.object({
  MethodSettings: v.tuple([v.object({ ThrottlingRateLimit: Limit, ThrottlingBurstLimit: Limit })]),
})

const PlanLimits = v.object({ Throttle: v.object({ RateLimit: Limit, BurstLimit: Limit }) })

/** A bucket that is full. */
const bucketOf = (rate: number, burst: number, parentBucket?: TokenBucket): TokenBucket => {
  const bucket = new TokenBucket({
    bucketSize: burst,
    tokensPerInterval: rate,
    interval: 'second',
    ...(parentBucket !== undefined && { parentBucket }),
  })
  bucket.content = burst
  return bucket
}

/** The type of the gateway response that a request gets instead of an answer. */
type Refusal = 'THROTTLED' | 'INVALID_API_KEY'

export interface Rates {
  /** Counts a request to a method that is open to all. */
  refuseOpen(): Refusal | undefined
  /** Counts a request of a caller whom the authorizer has named this key for. */
  refuseCaller(key: string | undefined): Refusal | undefined
}

/** The rates of infra/stage.yml. */
export const ratesOf = ({ resources, custom }: Service): Rates => {
  const { ApiStage, TenantRate } = resources.Resources
  const [{ ThrottlingRateLimit, ThrottlingBurstLimit }] = v.parse(StageLimits, ApiStage?.Properties).MethodSettings
  const { RateLimit, BurstLimit } = v.parse(PlanLimits, TenantRate?.Properties).Throttle
  const stage = bucketOf(ThrottlingRateLimit, ThrottlingBurstLimit)
  const byKey = new Map(rateKeys(custom.rateKeyPrefix).map((key) => [key, bucketOf(RateLimit, BurstLimit, stage)]))
  const take = (bucket: TokenBucket) => (bucket.tryRemoveTokens(1) ? undefined : 'THROTTLED')
  return {
    refuseOpen: () => take(stage),
    refuseCaller: (key = '') => {
      const bucket = byKey.get(key)
      return bucket === undefined ? 'INVALID_API_KEY' : take(bucket)
    },
  }
}
