/**
 * Log lines with metrics: the outcomes of deliveries and exchanges, and failures that raise alarms
 * (docs/adr/0020-metrics-by-lines-of-the-log.md).
 */
import { type Fields, type Level, logAlways } from './log.ts'

/**
 * The alarms that log lines raise. Each line has a weight, infra/metric-filters.yml adds the weights up, and
 * infra/watch/alarms.ts defines the alarms.
 */
interface AlarmShare {
  alarm: 'FaultsAlarm' | 'UnreachableAlarm' | 'DeadLettersAlarm'
  /** A part of ALARM_WEIGHT; of dead letters their number. */
  weight: number
}

/** The sum of weights at which FaultsAlarm and UnreachableAlarm are raised. */
export const ALARM_WEIGHT = 100_000_000

/** The weight of a line that raises the alarm when it is logged `times` times. Exact up to 10,000. */
export const weightOf = (times: number): number => Math.ceil(ALARM_WEIGHT / times)

/** An error of the service or AWS. The alarm is raised if it happens this often within five minutes. */
const faultsAlarm = (times: number): AlarmShare => ({ alarm: 'FaultsAlarm', weight: weightOf(times) })
/** A third party is unreachable, this often within 15 minutes. */
const unreachableAlarm = (times: number): AlarmShare => ({ alarm: 'UnreachableAlarm', weight: weightOf(times) })

/** The metrics, by their names in log lines. */
export const METRICS = {
  /** Messages to wallets and events to endpoints. "GivenUp": they are not attempted again. */
  MessagesDelivered: undefined,
  MessagesGivenUp: undefined,
  EventsDelivered: undefined,
  EventsGivenUp: undefined,
  /** Failed attempts, of messages and events together. */
  AttemptsFailed: undefined,
  /** Due items that are not handled yet, and the age of the oldest (ms). */
  OutboxDue: undefined,
  OutboxDueAge: undefined,
  /** Waiting lanes, including those of closed destinations, and the age of the oldest (ms). */
  OutboxWaiting: undefined,
  OutboxWaitingAge: undefined,
  /** Ended credential and proof exchanges, by `Format` and `State`. */
  ExchangesEnded: undefined,

  /** Wake-ups that failed at every try, and changes of the stream that could not be dispatched. */
  WakeUpsDead: faultsAlarm(1),
  ChangesParked: faultsAlarm(1),
  /** Heartbeats of the sweep that do not arrive through the table's stream. */
  StreamStopped: faultsAlarm(1),
  /** Work that was given up: jobs, and messages and events that cannot be read or fail at every try. */
  WorkGivenUp: faultsAlarm(1),
  /** Minutes in which the sweep finds items that are long overdue: four of five. */
  OutboxOverdue: faultsAlarm(4),
  /** Counts of waiting lanes that find items which should have been given up. */
  OutboxNotGivenUp: faultsAlarm(1),
  /** Requests to DynamoDB that failed after all retries. */
  StoreFaults: faultsAlarm(10),
  KmsFaults: faultsAlarm(3),
  SealingKeyUnusable: faultsAlarm(1),
  /** Tokens that could be neither accepted nor rejected. */
  AuthorizerFaults: faultsAlarm(3),
  /** Asynchronous invocations that failed, and those that took 90 % of their timeout. */
  FunctionErrors: faultsAlarm(3),
  SlowFunctions: faultsAlarm(3),

  /** Destinations that the circuit breaker has closed, and webhook endpoints that were disabled. */
  DestinationsClosed: unreachableAlarm(20),
  EndpointDisabled: unreachableAlarm(5),
  /** Issuers' keys that were not confirmed for a long time. */
  IssuerKeysNotConfirmed: unreachableAlarm(1),
  /** Counts of waiting lanes, every five minutes, above WAITING_LANES. */
  OutboxCrowded: unreachableAlarm(3),

  /** Messages in the dead-letter queues. */
  DeadLetters: { alarm: 'DeadLettersAlarm', weight: 1 },
} as const satisfies Record<string, AlarmShare | undefined>

/** Values of `Format`. */
export const FORMATS = [
  'credential/json-ld',
  'credential/anoncreds',
  'proof/presentation-exchange',
  'proof/anoncreds',
  'presentation/openid4vp',
  'credential/openid4vci',
] as const

export type Format = (typeof FORMATS)[number]

export type MetricName = keyof typeof METRICS
export type Measurements = Partial<Record<MetricName, number>>

/**
 * Logs values of metrics, whatever `LOG_LEVEL` says, except `silent`. `by`: the dimensions, with few values: never a
 * tenant, an endpoint or any other id.
 *
 * @example
 * measure('error', 'wake-up failed permanently', { event: 'wake_up.dead', messageId }, { values: { WakeUpsDead: 1 } })
 */
export const measure = (
  level: Level,
  message: string,
  fields: Fields,
  { values, by }: { values: Measurements; by?: Record<string, string> },
): void => logAlways(level, message, { ...fields, ...by, ...values, ...alarmShareOf(values) })

/** The weight of a line, for at most one alarm. */
const alarmShareOf = (values: Measurements): AlarmShare | undefined => {
  for (const [name, value] of Object.entries(values)) {
    const share = isMetric(name) ? METRICS[name] : undefined
    if (share !== undefined && value > 0) return { ...share, weight: share.weight * value }
  }
  return undefined
}

const isMetric = (name: string): name is MetricName => name in METRICS
