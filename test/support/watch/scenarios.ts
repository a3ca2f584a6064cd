/** What each alarm is there for: what its metrics are in an hour of that, and of an hour in which all is well. */
import { type AlarmProperties, countedBy } from './alarm-state.ts'
import type { RecordedMetrics } from './recorded-metrics.ts'

/** Values of a metric in a minute. */
export type Made = (minute: number) => number[]

export interface Scenario {
  /** By namespace and name, and by one more dimension where it matters. */
  cause: Record<string, Made>
  /** Minutes from its begin until the alarm has to be red, and from its end until it has to be green. */
  red: number
  green: number
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

const HOUR = 3_600_000
const OWN = 'serverless-agent'

/** Red within two periods of five minutes, green within three, with what is late. */
const soon = { red: 12, green: 17 }

/** By the logical id of the alarm, where it does not follow from the alarm (`scenarioOf`). */
const SCENARIOS: Record<string, Scenario> = {
  // Nothing is measured at all: the scenario of SweepAlarm takes its metric away.
  SweepAlarm: { cause: {}, red: 8, green: 3 },
  DueAlarm: { cause: { [`${OWN} OutboxDueAge`]: each(700_000) }, ...soon },
  WaitingAlarm: { cause: { [`${OWN} OutboxWaiting`]: every(5, 5_000) }, red: 22, green: 17 },
  WaitingAgeAlarm: { cause: { [`${OWN} OutboxWaitingAge`]: every(5, 78 * HOUR) }, red: 17, green: 12 },

  FunctionErrorsAlarm: { cause: { 'AWS/Lambda Errors DispatchChangesLambdaFunction': each(4) }, ...soon },
  FunctionCrashesAlarm: { cause: { 'serverless-agent-dev FunctionCrashes': each(1) }, ...soon },
  DurationAlarm: { cause: { 'AWS/Lambda Duration SweepOutboxLambdaFunction': each(54_000) }, ...soon, red: 17 },
  ThrottlesAlarm: { cause: { 'AWS/Lambda Throttles': each(30) }, ...soon, red: 17 },
  ConcurrencyAlarm: { cause: { 'AWS/Lambda ConcurrentExecutions': each(950) }, red: 6, green: 7 },

  ServerErrorsAlarm: {
    cause: { 'AWS/ApiGateway 5XXError': each(...times(10, 1)), 'AWS/ApiGateway Count': each(...times(60, 1)) },
    ...soon,
  },
  SlowOperationsAlarm: { cause: { 'AWS/ApiGateway IntegrationLatency': each(9_500) }, ...soon, red: 17 },

  // Only while something is wrong there are any: after it there is nothing, as DynamoDB has it.
  TableThrottlesAlarm: { cause: { 'AWS/DynamoDB WriteThrottleEvents': each(40) }, ...soon },
  TableErrorsAlarm: { cause: { 'AWS/DynamoDB SystemErrors TransactWriteItems': each(3) }, ...soon },

  OldWakeUpsAlarm: { cause: { 'AWS/SQS ApproximateAgeOfOldestMessage WakeUpQueue': each(120) }, red: 9, green: 9 },
  // It grows by one and stays: what lies there makes nobody get up twice.
  DeadLettersAlarm: {
    cause: { 'AWS/SQS ApproximateNumberOfMessagesVisible DispatchFailures': each(1) },
    red: 12,
    green: 0,
  },
  DispatchDelayAlarm: { cause: { 'AWS/Lambda IteratorAge': each(300_000) }, red: 6, green: 7 },
}

/** Of an alarm that counts one metric of our own: in each period exactly as many as its threshold. Undefined of any other that has none. */
export const scenarioOf = (id: string, alarm: AlarmProperties): Scenario | undefined => {
  const counted = countedBy(alarm)
  if (id in SCENARIOS || counted?.namespace !== OWN) return SCENARIOS[id]
  const { name, minutes } = counted
  const cause = { [`${OWN} ${name}`]: every(minutes, ...times(alarm.Threshold, 1)) }
  return { cause, red: minutes + 7, green: 3 * minutes + 2 }
}

export const HAND_MADE = Object.keys(SCENARIOS)

/** What a metric of AWS is when all is well; those of faults are not there then. */
export const WELL: Record<string, Made> = {
  'AWS/Lambda Errors': each(0),
  // Receivers that let us wait keep a delivery for 25 s.
  'AWS/Lambda Duration': each(40, 900, 3_800),
  'AWS/Lambda Duration DeliverLambdaFunction': each(60, 25_400),
  'AWS/Lambda Duration DeliverSlowlyLambdaFunction': each(60, 25_400),
  'AWS/Lambda Throttles': each(0),
  'AWS/Lambda ConcurrentExecutions': each(3, 12, 40),
  'AWS/Lambda IteratorAge': (minute) => (minute % 3 === 0 ? [250, 900] : []),
  'serverless-agent-dev FunctionCrashes': each(0, 0),
  'AWS/ApiGateway Count': each(...times(200, 1)),
  'AWS/ApiGateway 5XXError': (minute) => times(200, 0).concat(minute % 9 === 0 ? [1] : []),
  'AWS/ApiGateway IntegrationLatency': each(12, 30, 2_400),
  'AWS/SQS ApproximateAgeOfOldestMessage': each(0, 26),
  'AWS/SQS ApproximateNumberOfMessagesVisible': each(0),
}

/** Finds what is made for a metric: by its name and a dimension, or by its name. */
const madeFor = (made: Record<string, Made>, key: string): Made | undefined => {
  const [namespace, name, dimensions] = JSON.parse(key)
  const text = JSON.stringify(dimensions)
  const found = Object.keys(made).find((one) => {
    const [space, metric, more] = one.split(' ')
    return space === namespace && metric === name && more !== undefined && text.includes(more)
  })
  return made[found ?? `${namespace} ${name}`]
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

/** The sweep's own, once a minute, where nothing waits. */
export const SWEEPS: Record<string, Made> = {
  [`${OWN} OutboxDueAge`]: each(0),
  [`${OWN} OutboxWaiting`]: every(5, 3),
  [`${OWN} OutboxWaitingAge`]: every(5, 20 * HOUR),
}
