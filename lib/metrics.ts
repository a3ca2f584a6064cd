/** The service's metrics: log lines in CloudWatch's embedded format (docs/adr/0020-metrics-by-lines-of-the-log.md). */
import { type Fields, type Level, logAlways } from './log.ts'
import { settings } from './settings.ts'

export const NAMESPACE = 'serverless-agent'

/** All metrics and their units. Each metric costs money, and again for each value of a dimension. */
export const METRICS = {
  /** Messages to wallets and events to endpoints. Given up is final. */
  MessagesDelivered: 'Count',
  MessagesGivenUp: 'Count',
  EventsDelivered: 'Count',
  EventsGivenUp: 'Count',
  /** Failed attempts, of messages and events together. */
  AttemptsFailed: 'Count',
  /** Destinations that the circuit breaker has closed, and webhook endpoints that were disabled. */
  DestinationsClosed: 'Count',
  EndpointDisabled: 'Count',
  /** Due items that are not handled yet. */
  OutboxDue: 'Count',
  OutboxDueAge: 'Milliseconds',
  /** Waiting lanes, including those of closed destinations, and the age of the oldest. */
  OutboxWaiting: 'Count',
  OutboxWaitingAge: 'Milliseconds',
  /** Wake-ups that our code could not handle, and changes that could not be dispatched. */
  WakeUpsDead: 'Count',
  ChangesParked: 'Count',
  /** What our code has given up: messages and events that it can't read or fails at again and again, and jobs. */
  WorkGivenUp: 'Count',
  /** Ended credential and proof exchanges, by `Format` and `State`. */
  ExchangesEnded: 'Count',
  KmsFaults: 'Count',
  /** Tokens that could be neither accepted nor refused. */
  AuthorizerFaults: 'Count',
  /** Issuers' keys that were not confirmed for a long time. */
  IssuerKeysNotConfirmed: 'Count',
} as const satisfies Record<string, 'Count' | 'Milliseconds'>

/** Dimensions of `ExchangesEnded`. Each pair of a format and a state is a separate metric. */
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

/** The common dimension is the table, one for each stage; never a tenant, an endpoint or any other id. */
const TABLE = 'Table'

interface Measured {
  values: Measurements
  /** Further dimensions with few values. */
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
