/**
 * Limits for queues and unauthenticated callers, which leave the account's other concurrent invocations to operations.
 */
import { getAttOf, isObject, ofType, type Template } from '../service.ts'

/** The default of an account, and what a new account may have instead. */
export const USUAL_CONCURRENCY = 1000
export const NEW_ACCOUNT_CONCURRENCY = 10

/**
 * The smallest maximum concurrency of an SQS event source that Lambda accepts.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const MIN_CONCURRENCY = 2

/** Upper bounds: more concurrent deliveries would only wait for their receivers in parallel. */
const MAX_CONCURRENCY = { deliver: 500, deliverSlowly: 100, wake: 50, jobs: 10 }

/** Removals, in every account (serverless.yml). */
const REMOVALS = MIN_CONCURRENCY

export interface Caps {
  /** Concurrent deliveries of lanes to wallets and webhook endpoints. */
  deliver: number
  /** Concurrent deliveries to slow destinations. */
  deliverSlowly: number
  /** Forwarding of delayed wake-ups, which takes some milliseconds each. */
  wake: number
  /** Background jobs. */
  jobs: number
}

/** The settings that override the computed limits. */
export interface CapSettings {
  DELIVERY_CONCURRENCY?: number | undefined
  SLOW_DELIVERY_CONCURRENCY?: number | undefined
  /** Envelopes a second. */
  DIDCOMM_RATE?: number | undefined
}

const between = (most: number, value: number): number => Math.max(MIN_CONCURRENCY, Math.min(most, Math.floor(value)))

/** `concurrency`: the account's, without what functions have reserved. */
export const capsOf = (concurrency: number, settings: CapSettings = {}): Caps => {
  const half = Math.floor(concurrency / 2)
  const deliverSlowly = settings.SLOW_DELIVERY_CONCURRENCY ?? between(MAX_CONCURRENCY.deliverSlowly, half / 6)
  const wake = between(MAX_CONCURRENCY.wake, half / 10)
  const jobs = between(MAX_CONCURRENCY.jobs, half / 20)
  const others = deliverSlowly + wake + jobs + REMOVALS
  const deliver = settings.DELIVERY_CONCURRENCY ?? between(MAX_CONCURRENCY.deliver, half - others)
  return { deliver, deliverSlowly, wake, jobs }
}

/** Warnings for the operator of an account with low concurrency. */
export const capLosses = (concurrency: number, caps: Caps): string[] => {
  const { deliver, deliverSlowly } = caps
  const left = concurrency - deliver - deliverSlowly
  const losses: string[] = []
  if (deliver < 50)
    losses.push(
      `the account runs ${concurrency} concurrent functions: ${deliver} for deliveries, and ${deliverSlowly} to slow receivers; ` +
        `committed messages wait, and ${left} remain for operations. Ask for ${USUAL_CONCURRENCY} in Service Quotas ` +
        '(Lambda, "Concurrent executions", L-B99A9384), then deploy again',
    )
  if (left < concurrency / 2)
    losses.push(
      `deliveries may take ${deliver + deliverSlowly} of the account's ${concurrency} concurrent functions: less than half is left for operations`,
    )
  return losses
}

/** The cap of each queue, by its logical id. */
const QUEUES: Record<string, keyof Caps> = {
  WakeUpQueue: 'deliver',
  SlowWakeUpQueue: 'deliverSlowly',
  TimerQueue: 'wake',
  JobQueue: 'jobs',
}

/** Changes the template. */
export const applyCaps = (template: Template, caps: Caps): void => {
  for (const [, { Properties }] of ofType(template.Resources, 'AWS::Lambda::EventSourceMapping')) {
    const cap = QUEUES[getAttOf(Properties.EventSourceArn)?.[0] ?? '']
    if (cap !== undefined) Properties.ScalingConfig = { MaximumConcurrency: caps[cap] }
  }
}

/** Concurrent functions for each envelope per second: 0.2 s each, at either of two addresses. */
const FUNCTIONS_PER_ENVELOPE = 0.4

/** The methods that need no token: the paths of infra/stage.yml that begin so. */
const ADDRESSES = '/~1didcomm'

/**
 * Limits the rates of envelopes in the template, per second, to the account's concurrency. Unauthenticated callers then
 * use at most two fifths of it.
 */
export const applyDidcommRate = (template: Template, concurrency: number, { DIDCOMM_RATE }: CapSettings): void => {
  if (DIDCOMM_RATE !== undefined) return
  const settings: unknown = template.Resources.ApiStage?.Properties.MethodSettings
  for (const setting of Array.isArray(settings) ? settings : [])
    if (isObject(setting) && String(setting.ResourcePath).startsWith(ADDRESSES))
      for (const name of ['ThrottlingRateLimit', 'ThrottlingBurstLimit'])
        setting[name] = Math.min(Number(setting[name]), concurrency)
}

/** A warning if the given rate may use more than half of the account's concurrency; otherwise none. */
export const didcommLosses = (concurrency: number, { DIDCOMM_RATE = 0 }: CapSettings): string[] =>
  DIDCOMM_RATE * FUNCTIONS_PER_ENVELOPE <= concurrency / 2
    ? []
    : [
        `DIDCOMM_RATE=${DIDCOMM_RATE}: unauthenticated callers may take ${Math.ceil(DIDCOMM_RATE * FUNCTIONS_PER_ENVELOPE)} of the account's ${concurrency} concurrent functions: set ${concurrency} or less, or leave it out`,
      ]
