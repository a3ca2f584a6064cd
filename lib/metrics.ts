/**
 * Lines of the log that count: what came of deliveries and exchanges, and what is to wake somebody
 * (docs/adr/0020-metrics-by-lines-of-the-log.md).
 */
import { type Fields, type Level, logAlways } from './log.ts'

/**
 * The alarms that the log sets off. Each line says how much of one it is, and infra/metric-filters.yml adds that up; the
 * alarms are in infra/watch/alarms.ts.
 */
interface Share {
  alarm: 'FaultsAlarm' | 'UnreachableAlarm' | 'DeadLettersAlarm'
  /** Of one: its part of ALARM_WEIGHT, or of dead letters their number. */
  weight: number
}

/** What the weights of an alarm's lines add up to when it goes off: the threshold of FaultsAlarm and UnreachableAlarm. */
export const ALARM_WEIGHT = 100_000_000

/** The weight of a line of which `times` are an alarm, and one fewer is not: exact up to 10,000. */
export const weightOf = (times: number): number => Math.ceil(ALARM_WEIGHT / times)

/** Something is wrong here, or with AWS: it is an alarm if it happens so often within five minutes. */
const fault = (times: number): Share => ({ alarm: 'FaultsAlarm', weight: weightOf(times) })
/** What others run is not reached: within a quarter of an hour. */
const unreachable = (times: number): Share => ({ alarm: 'UnreachableAlarm', weight: weightOf(times) })

/** What is counted, by the names that lines have it under. */
export const METRICS = {
  /** Messages to wallets and events to endpoints. Given up is final. */
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

  /** Wake-ups that our code could not handle, and changes that could not be dispatched. */
  WakeUpsDead: fault(1),
  ChangesParked: fault(1),
  /** Heartbeats of the sweep that do not come through the table's stream. */
  StreamStopped: fault(1),
  /** What our code has given up: messages and events that it can't read or fails at again and again, and jobs. */
  WorkGivenUp: fault(1),
  /** Minutes in which the sweep finds what should have been handled for long: four of five. */
  OutboxOverdue: fault(4),
  /** Counts of what waits that find what should have been given up. */
  OutboxNotGivenUp: fault(1),
  /** Requests that DynamoDB does not answer, after their repetitions. */
  StoreFaults: fault(10),
  KmsFaults: fault(3),
  SealingKeyUnusable: fault(1),
  /** Tokens that could be neither accepted nor refused. */
  AuthorizerFaults: fault(3),
  /** Invocations that nobody waits for which failed, and those that took nearly all of their time. */
  FunctionErrors: fault(3),
  SlowFunctions: fault(3),

  /** Destinations that the circuit breaker has closed, and webhook endpoints that were disabled. */
  DestinationsClosed: unreachable(20),
  EndpointDisabled: unreachable(5),
  /** Issuers' keys that were not confirmed for a long time. */
  IssuerKeysNotConfirmed: unreachable(1),
  /** Counts of what waits, every five minutes, that find more than WAITING_LANES. */
  OutboxCrowded: unreachable(3),

  /** Messages in the dead-letter queues. */
  DeadLetters: { alarm: 'DeadLettersAlarm', weight: 1 },
} as const satisfies Record<string, Share | undefined>

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
 * Writes values in a line of the log, whatever `LOG_LEVEL` says, except `silent`. `by`: what they are grouped by, with
 * few values: never a tenant, an endpoint or any other id.
 *
 * @example
 * measure('error', 'a wake-up has failed for good', { event: 'wake_up.dead', messageId }, { values: { WakeUpsDead: 1 } })
 */
export const measure = (
  level: Level,
  message: string,
  fields: Fields,
  { values, by }: { values: Measurements; by?: Record<string, string> },
): void => logAlways(level, message, { ...fields, ...by, ...values, ...shareOf(values) })

/** The values of a line count for one alarm, if any. */
const shareOf = (values: Measurements): Share | undefined => {
  for (const [name, value] of Object.entries(values)) {
    const share = isMetric(name) ? METRICS[name] : undefined
    if (share !== undefined && value > 0) return { ...share, weight: share.weight * value }
  }
  return undefined
}

const isMetric = (name: string): name is MetricName => name in METRICS
