/** The health of an endpoint: active, failing, disabled. Pure: what an attempt came to, and when, are arguments. */
import type { EndpointHealth } from './endpoint-item.ts'

/** An endpoint that has only failed for this long, in ms, is asked no more. */
export const FAILING_MS = 5 * 24 * 60 * 60 * 1000

/** What is only newer is written down at most this often, in ms: the item of a busy endpoint must not be a hot one. */
const NOTED_EVERY_MS = 60_000

/** `gone`: it answered 410; `failing`: nothing but failures for `FAILING_MS`. */
type DisabledReason = 'gone' | 'failing'

/** What an attempt came to. `at` is ISO 8601 UTC, when that was known. */
export type AttemptResult =
  | { kind: 'taken'; at: string }
  /**
   * `error` is nothing of a content: a status or a code. `gone`: a receiver that answers 410 wants no more (Standard
   * Webhooks 1.0.0, "Deliverability and reliability").
   */
  | { kind: 'refused' | 'gone'; at: string; error: string }

/** ISO 8601 in UTC with milliseconds sorts as text. An attempt that ended earlier may be heard of later. */
const later = (a: string | undefined, b: string): string => (a === undefined || a < b ? b : a)

const succeeded = (health: EndpointHealth, at: string): EndpointHealth => ({
  status: 'active',
  lastSuccessAt: later(health.lastSuccessAt, at),
  ...(health.lastFailureAt === undefined ? {} : { lastFailureAt: health.lastFailureAt }),
  ...(health.lastError === undefined ? {} : { lastError: health.lastError }),
})

const failed = (health: EndpointHealth, { kind, at, error }: Exclude<AttemptResult, { kind: 'taken' }>) => {
  const failingSince = health.failingSince ?? at
  const failing: EndpointHealth = {
    ...health,
    status: 'failing',
    failingSince,
    lastFailureAt: later(health.lastFailureAt, at),
    lastError: error,
  }
  const reason: DisabledReason | undefined =
    kind === 'gone' ? 'gone' : Date.parse(at) - Date.parse(failingSince) >= FAILING_MS ? 'failing' : undefined
  if (health.status === 'disabled') return { ...failing, status: health.status }
  return reason === undefined
    ? failing
    : { ...failing, status: 'disabled' as const, disabledAt: at, disabledReason: reason }
}

/** The health after an attempt: any 2xx makes it active; 410, or `FAILING_MS` of nothing but failures, disables it. */
export const nextHealth = (health: EndpointHealth, result: AttemptResult): EndpointHealth =>
  result.kind === 'taken' ? succeeded(health, result.at) : failed(health, result)

const elapsed = (before: string | undefined, after: string | undefined): boolean =>
  after !== undefined && (before === undefined || Date.parse(after) - Date.parse(before) >= NOTED_EVERY_MS)

/** Whether the change of a health is worth a write: another status, or a time that has moved by a minute. */
export const isNews = (before: EndpointHealth, after: EndpointHealth): boolean =>
  before.status !== after.status ||
  before.failingSince !== after.failingSince ||
  elapsed(before.lastSuccessAt, after.lastSuccessAt) ||
  elapsed(before.lastFailureAt, after.lastFailureAt)
