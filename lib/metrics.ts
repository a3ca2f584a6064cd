/** The metrics of the service: lines of the log in CloudWatch's embedded metric format, of which CloudWatch makes metrics (ADR 20). */
import { type Fields, type Level, logAlways } from './log.ts'
import { settings } from './settings.ts'

export const NAMESPACE = 'serverless-agent'

/** Every metric that the service may write, and its unit. Each costs, and again with each value of a dimension. */
export const METRICS = {
  /** Messages to wallets and events to endpoints, by what came of an attempt; given up is for good. */
  MessagesDelivered: 'Count',
  MessagesGivenUp: 'Count',
  EventsDelivered: 'Count',
  EventsGivenUp: 'Count',
  /** Failed attempts, at messages and events together. */
  AttemptsFailed: 'Count',
  /** Destinations that the circuit breaker has closed, and webhook endpoints that were disabled. */
  DestinationsClosed: 'Count',
  EndpointDisabled: 'Count',
  /** What is due and not yet handled. */
  OutboxDue: 'Count',
  OutboxDueAge: 'Milliseconds',
  /** What waits, also for a destination that is closed: lanes, and since when the oldest has waited. */
  OutboxWaiting: 'Count',
  OutboxWaitingAge: 'Milliseconds',
  /** Wake-ups that our own code could not handle, and changes that could not be dispatched. */
  WakeUpsDead: 'Count',
  ChangesParked: 'Count',
  /** Messages and events that can't be read, and were set aside. */
  ItemsCorrupt: 'Count',
  /** Credential and proof exchanges that came to an end, by `Format` and `State`. */
  ExchangesEnded: 'Count',
  KmsFaults: 'Count',
  /** Tokens that could neither be accepted nor refused. */
  AuthorizerFaults: 'Count',
  /** An issuer's keys that its address has not confirmed for long. */
  IssuerKeysNotConfirmed: 'Count',
} as const satisfies Record<string, 'Count' | 'Milliseconds'>

/** The dimensions of `ExchangesEnded`. Each pair of a format and a state is a metric to be paid for. */
export const FORMATS = [
  'credential/json-ld',
  'credential/anoncreds',
  'proof/presentation-exchange',
  'proof/anoncreds',
] as const
export const FINAL_STATES = ['done', 'declined', 'abandoned'] as const

export type Format = (typeof FORMATS)[number]

export type MetricName = keyof typeof METRICS
export type Measurements = Partial<Record<MetricName, number>>

/** The one dimension of all metrics is the table, of which each stage has one; never a tenant, an endpoint or any other id. */
const TABLE = 'Table'

interface Measured {
  values: Measurements
  /** Further dimensions, whose values are few. */
  by?: Record<string, string>
  /** Ms since the epoch. */
  now?: number
}

/**
 * Writes values of metrics in a line of the log, whatever `LOG_LEVEL` says, except `silent`.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 *
 * @example
 * measure('error', 'a wake-up has failed for good', { event: 'wake_up.dead', messageId }, { values: { WakeUpsDead: 1 } })
 */
export const measure = (
  level: Level,
  message: string,
  fields: Fields,
  { values, by = {}, now = Date.now() }: Measured,
): void =>
  logAlways(level, message, {
    ...fields,
    ...{ [TABLE]: settings().TABLE_NAME, ...by, ...values },
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        {
          Namespace: NAMESPACE,
          Dimensions: [[TABLE, ...Object.keys(by)]],
          Metrics: Object.keys(values)
            .filter(isMetric)
            .map((Name) => ({ Name, Unit: METRICS[Name] })),
        },
      ],
    },
  })

const isMetric = (name: string): name is MetricName => name in METRICS
