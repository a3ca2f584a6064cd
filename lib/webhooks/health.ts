/** The health of an endpoint: active, failing, disabled. What an attempt makes of it is a pure function; what is news is written and logged. */
import { describeOutcome, isTaken, type PostOutcome } from '../egress/post.ts'
import { log } from '../log.ts'
import { settings } from '../settings.ts'
import { updateIf } from '../store/write.ts'
import { type Endpoint, type EndpointHealth, endpointItem, HEALTH_FIELDS, readEndpoint } from './endpoint-item.ts'

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

/** Attempts at a busy endpoint get into each other's way: then its health is read and judged anew, so many times. */
const MAX_TRIES = 5

/** Returns the endpoint as it is then; undefined where there is none any more. `now` in ms since the epoch. Throws `store.unavailable`. */
export const noteHealth = async (
  endpoint: Endpoint,
  outcome: PostOutcome,
  now: number,
): Promise<Endpoint | undefined> => {
  const result = resultOf(outcome, now)
  let read: Endpoint | undefined = endpoint
  for (let tries = 0; tries < MAX_TRIES && read !== undefined; tries++) {
    const health = nextHealth(read, result)
    if (!isNews(read, health)) return read
    const written = await write(read, health)
    if (written !== undefined) {
      if (read.status !== 'disabled' && written.status === 'disabled') logDisabled(written, now)
      return written
    }
    read = await readEndpoint(endpoint.orgId, endpoint.kind, endpoint.id)
  }
  return read
}

const resultOf = (outcome: PostOutcome, now: number): AttemptResult => {
  const at = new Date(now).toISOString()
  if (isTaken(outcome)) return { kind: 'taken', at }
  return { kind: outcome.status === 410 ? 'gone' : 'refused', at, error: describeOutcome(outcome) }
}

/** On condition that it is the endpoint that was read. */
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

const NAMESPACE = 'serverless-agent'

/**
 * CloudWatch makes a metric of a line in its embedded metric format. It counts by table, of which each stage has one.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
const logDisabled = ({ orgId, id, kind, disabledReason, failingSince, lastError }: Endpoint, now: number): void =>
  // An error, so that no level but `silent` loses the metric.
  log('error', 'endpoint disabled', {
    event: 'webhook.endpoint_disabled',
    orgId,
    endpointId: id,
    kind,
    reason: disabledReason,
    failingSince,
    lastError,
    Table: settings().TABLE_NAME,
    EndpointDisabled: 1,
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        { Namespace: NAMESPACE, Dimensions: [['Table']], Metrics: [{ Name: 'EndpointDisabled', Unit: 'Count' }] },
      ],
    },
  })
