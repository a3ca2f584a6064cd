/**
 * What each alarm is there for: what its metrics are in an hour of that, as little as is worth an alarm, and of an hour
 * in which all is well.
 */
import { METRICS } from '../../../lib/metrics.ts'
import { type RecordedMetrics, STACK } from './recorded-metrics.ts'

/** Values of a metric in a minute. */
export type Made = (minute: number) => number[]

export interface Scenario {
  /** By namespace and name. */
  cause: Record<string, Made>
  /** Minutes from its begin until the alarm has to be red, and from its end until it has to be green. */
  red: number
  green: number
  /** So many minutes of it are not worth an alarm; none if it is left out. */
  brief?: number
}

const each =
  (...values: number[]): Made =>
  () =>
    values
const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value)
const every =
  (minutes: number, ...values: number[]): Made =>
  (minute) =>
    minute % minutes === 0 ? values : []

/** Red within two periods of five minutes, green within three, with what is late. */
const soon = { red: 12, green: 17 }

/** By the logical id of the alarm. */
export const SCENARIOS: Record<string, Scenario> = {
  // It is not invoked at all: its scenario takes the metric away.
  SweepAlarm: { cause: {}, red: 8, green: 3, brief: 3 },
  // As many lines as the log has of each code (the alarms' tests write them).
  FaultsAlarm: { cause: { [`${STACK} FaultsAlarm`]: every(5, ...times(3, METRICS.KmsFaults.weight)) }, ...soon },
  UnreachableAlarm: {
    cause: { [`${STACK} UnreachableAlarm`]: every(15, METRICS.IssuerKeysNotConfirmed.weight) },
    red: 22,
    green: 47,
  },
  // It grows by one and stays: what lies there makes nobody get up twice.
  DeadLettersAlarm: { cause: { [`${STACK} DeadLettersAlarm`]: every(5, 1) }, red: 12, green: 0 },

  ThrottlesAlarm: { cause: { 'AWS/Lambda Throttles': every(5, 1) }, ...soon, red: 17, brief: 5 },
  ConcurrencyAlarm: { cause: { 'AWS/Lambda ConcurrentExecutions': each(40, 800) }, red: 6, green: 7, brief: 2 },
  DispatchDelayAlarm: { cause: { 'AWS/Lambda IteratorAge': each(250, 60_000) }, red: 6, green: 7, brief: 2 },

  ServerErrorsAlarm: {
    cause: { 'AWS/ApiGateway 5XXError': each(...times(3, 1), ...times(57, 0)) },
    red: 6,
    green: 12,
    brief: 2,
  },
  SlowOperationsAlarm: { cause: { 'AWS/ApiGateway IntegrationLatency': each(12, 8_000) }, ...soon, red: 17, brief: 5 },

  OldWakeUpsAlarm: { cause: { 'AWS/SQS ApproximateAgeOfOldestMessage': each(0, 60) }, red: 9, green: 9, brief: 4 },
}

/** What a metric of AWS is when all is well; those of faults are not there then. */
export const WELL: Record<string, Made> = {
  'AWS/Lambda Throttles': each(0),
  'AWS/Lambda ConcurrentExecutions': each(3, 12, 40),
  'AWS/Lambda IteratorAge': (minute) => (minute % 3 === 0 ? [250, 900] : []),
  'AWS/ApiGateway 5XXError': (minute) => times(200, 0).concat(minute % 3 === 0 ? [1] : []),
  'AWS/ApiGateway IntegrationLatency': each(12, 30, 2_400),
  'AWS/SQS ApproximateAgeOfOldestMessage': each(0, 26),
}

/** The sweep, once a minute. */
export const SWEEPS: Record<string, Made> = { 'AWS/Lambda Invocations': each(1) }

/** What is made for a metric, by its name. */
const madeFor = (made: Record<string, Made>, key: string): Made | undefined => {
  const [namespace, name] = JSON.parse(key)
  return made[`${namespace} ${name}`]
}

/** Fills these metrics for the minutes from `from` to before `to`. */
export const fill = (
  recorded: RecordedMetrics,
  keys: readonly string[],
  made: Record<string, Made>,
  { from, to }: { from: number; to: number },
): void => {
  for (const key of keys) {
    const values = madeFor(made, key)
    if (values !== undefined)
      for (let minute = from; minute < to; minute++) recorded.add(key, minute, ...values(minute))
  }
}
