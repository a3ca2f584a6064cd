/**
 * The health of an endpoint: active, failing or disabled. A pure function computes it after each attempt; relevant
 * changes are stored.
 */
import { describeOutcome, isSuccess, type PostOutcome } from '../egress/post.ts'
import { measure } from '../metrics.ts'
import { updateIf } from '../store/write.ts'
import { type Endpoint, type EndpointHealth, endpointItem, HEALTH_FIELDS, readEndpoint } from './endpoint-item.ts'

/** An endpoint that has had only failures for this long (ms) is disabled. */
export const FAILING_MS = 5 * 24 * 60 * 60 * 1000

/**
 * Minimum ms between two writes that only update times, so that the item of a busy endpoint does not become a hot key.
 */
const TIMES_INTERVAL_MS = 60_000

/** `gone`: it responded 410; `failing`: only failures for `FAILING_MS`. */
type DisabledReason = 'gone' | 'failing'

/** The result of an attempt. `at`: when it was known, ISO 8601 UTC. */
export type AttemptResult =
  | { kind: 'accepted'; at: string }
  /**
   * `error` is a status or a code, never content. `gone`: a receiver that responds 410 wants no more events (Standard
   * Webhooks 1.0.0, "Deliverability and reliability").
   */
  | { kind: 'rejected' | 'gone'; at: string; error: string }

/** ISO 8601 in UTC with milliseconds sorts as text. Results of concurrent attempts may arrive in any order. */
const later = (a: string | undefined, b: string): string => (a === undefined || a < b ? b : a)

const healthAfterSuccess = (
  { lastSuccessAt, lastFailureAt, lastError }: EndpointHealth,
  at: string,
): EndpointHealth => ({
  status: 'active',
  lastSuccessAt: later(lastSuccessAt, at),
  lastFailureAt,
  lastError,
})

const healthAfterFailure = (
  health: EndpointHealth,
  { kind, at, error }: Exclude<AttemptResult, { kind: 'accepted' }>,
) => {
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

/** The health after an attempt. A 2xx makes it active; a 410, or `FAILING_MS` with failures only, disables it. */
export const nextHealth = (health: EndpointHealth, result: AttemptResult): EndpointHealth =>
  result.kind === 'accepted' ? healthAfterSuccess(health, result.at) : healthAfterFailure(health, result)

const elapsed = (before: string | undefined, after: string | undefined): boolean =>
  after !== undefined && (before === undefined || Date.parse(after) - Date.parse(before) >= TIMES_INTERVAL_MS)

/** Whether a change of the health is worth a write: another status, or a time that is a minute newer. */
export const isWorthWriting = (before: EndpointHealth, after: EndpointHealth): boolean =>
  before.status !== after.status ||
  elapsed(before.lastSuccessAt, after.lastSuccessAt) ||
  elapsed(before.lastFailureAt, after.lastFailureAt)

/** Maximum number of tries: after a concurrent update of the endpoint its health is read and computed again. */
const MAX_TRIES = 5

/**
 * Stores the result of an attempt. Returns the endpoint; undefined if it was deleted. `now` in ms since the epoch.
 * Throws `store.unavailable`.
 */
export const recordHealth = async (
  endpoint: Endpoint,
  outcome: PostOutcome,
  now: number,
): Promise<Endpoint | undefined> => {
  const result = resultOf(outcome, now)
  let read: Endpoint | undefined = endpoint
  for (let tries = 0; tries < MAX_TRIES && read !== undefined; tries++) {
    const health = nextHealth(read, result)
    if (!isWorthWriting(read, health)) return read
    const written = await write(read, health)
    if (written !== undefined) {
      if (read.status !== 'disabled' && written.status === 'disabled') logDisabled(written)
      return written
    }
    read = await readEndpoint(endpoint.orgId, endpoint.kind, endpoint.id)
  }
  return read
}

const resultOf = (outcome: PostOutcome, now: number): AttemptResult => {
  const at = new Date(now).toISOString()
  if (isSuccess(outcome)) return { kind: 'accepted', at }
  return { kind: outcome.status === 410 ? 'gone' : 'rejected', at, error: describeOutcome(outcome) }
}

/** Undefined if the endpoint has changed since it was read. */
const write = async ({ orgId, kind, id, version }: Endpoint, health: EndpointHealth): Promise<Endpoint | undefined> => {
  const item = await updateIf(
    endpointItem.addressOf({ orgId, kind }),
    {
      set: endpointItem.attributes({ ...health, version: version + 1 }),
      remove: HEALTH_FIELDS.filter((name) => health[name] === undefined),
    },
    { equals: endpointItem.attributes({ id, version }) },
  )
  return item === undefined ? undefined : endpointItem.decode(item)
}

const logDisabled = ({ orgId, id, kind, disabledReason, failingSince, lastError }: Endpoint): void =>
  measure(
    'error',
    'endpoint disabled',
    {
      event: 'webhook.endpoint_disabled',
      ...{ orgId, endpointId: id, kind, reason: disabledReason, failingSince, lastError },
    },
    { values: { EndpointDisabled: 1 } },
  )
