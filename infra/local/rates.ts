/**
 * API Gateway's rates as token buckets: one of each method, and one of each API key of the usage plan, where that has a
 * rate. https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
import { TokenBucket } from 'limiter'
import * as v from 'valibot'
import { rateKeys } from '../../lib/auth/rate-key.ts'
import { Settings } from '../../lib/settings.ts'
import type { Service } from '../service.ts'

const Limit = v.pipe(v.union([v.string(), v.number()]), v.transform(Number))

const StageLimits = v.object({
  MethodSettings: v.array(
    v.object({
      HttpMethod: v.string(),
      ResourcePath: v.string(),
      ThrottlingRateLimit: Limit,
      ThrottlingBurstLimit: Limit,
    }),
  ),
})

const PlanLimits = v.object({ Throttle: v.object({ RateLimit: Limit, BurstLimit: Limit }) })

/** Buckets by name, each full at its first use. */
const bucketsOf = (rate: number, burst: number) => {
  const buckets = new Map<string, TokenBucket>()
  const full = () => {
    const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: rate, interval: 'second' })
    bucket.content = burst
    return bucket
  }
  return (name: string): TokenBucket => {
    const bucket = buckets.get(name) ?? full()
    buckets.set(name, bucket)
    return bucket
  }
}

export interface Rates {
  /** Counts a request to a method, such as `post /didcomm/{tenantId}`. */
  countMethod(method: string): 'THROTTLED' | undefined
  /** Counts a request by the API key that the authorizer has returned. */
  countCaller(key: string | undefined): 'THROTTLED' | 'INVALID_API_KEY' | undefined
}

/** The setting for all methods without a specific one. */
const ALL = '* /*'

/**
 * The method of a setting in the notation of routes. In a setting's path, slashes after the first are written as ~1.
 */
const methodOf = ({ HttpMethod, ResourcePath }: { HttpMethod: string; ResourcePath: string }): string =>
  ResourcePath === '/*'
    ? `${HttpMethod} ${ResourcePath}`
    : `${HttpMethod.toLowerCase()} ${ResourcePath.slice(1).replaceAll('~1', '/')}`

/** The rates of infra/stage.yml. The methods return the type of the gateway response for a request over its rate. */
export const ratesOf = ({ resources }: Service): Rates => {
  const { ApiStage, TenantRate } = resources.Resources
  const settings = v.parse(StageLimits, ApiStage?.Properties).MethodSettings.map((setting) => ({
    method: methodOf(setting),
    take: bucketsOf(setting.ThrottlingRateLimit, setting.ThrottlingBurstLimit),
  }))
  const ofMethod = (method: string): TokenBucket | undefined =>
    (settings.find((one) => one.method === method) ?? settings.find((one) => one.method === ALL))?.take(method)
  const { RateLimit, BurstLimit } = v.parse(PlanLimits, TenantRate?.Properties).Throttle
  const ofKey = bucketsOf(RateLimit, BurstLimit)
  const hasTenantRate = RateLimit > 0
  // Here the authorizer has no other prefix.
  const keys = new Set(rateKeys(Settings.entries.RATE_KEY_PREFIX.default))
  const take = (bucket?: TokenBucket) => (bucket?.tryRemoveTokens(1) === false ? 'THROTTLED' : undefined)
  return {
    countMethod: (method) => take(ofMethod(method)),
    countCaller: (key = '') => {
      if (!hasTenantRate) return undefined
      return keys.has(key) ? take(ofKey(key)) : 'INVALID_API_KEY'
    },
  }
}
