/** The alarms on what AWS measures of the functions, the API, the table and the queues. */
import type { Alarm, Metric } from './alarm.ts'
import { api, filtered, lambda, queue, table } from './metrics.ts'

/** A function that no request waits for, by its logical id. */
export interface BackgroundFunction {
  id: string
  /** Seconds. */
  timeout: number
  /** What it throws is a normal outcome, which Lambda counts as an error. */
  throwsOnPurpose: boolean
}

export interface WatchedStack {
  /** `<service>-<stage>`. */
  stack: string
  stage: string
  background: BackgroundFunction[]
  /** Of the account and region. */
  concurrency: number
}

/**
 * What a math expression may look at. https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-limits.html
 */
const MAX_METRICS = 10

const sumOf = (names: string[]): string => names.map((name) => `FILL(${name}, 0)`).join(' + ')

/** Numbered metrics: `m0`, `m1`, ... */
const numbered = (metrics: Metric[]): Record<string, Metric> =>
  Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]))

const inGroups = <T>(all: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))

/** One alarm, or a few with numbers where there are more functions than one can look at. */
const grouped = <T>(id: string, all: T[], alarmOf: (group: T[]) => Alarm): Record<string, Alarm> =>
  Object.fromEntries(
    inGroups(all, MAX_METRICS).map((group, index) => [index === 0 ? id : `${id}${index + 1}`, alarmOf(group)]),
  )

/**
 * Errors and durations of operations are those of the API: an alarm on each function would be two for each operation.
 */
const functionAlarms = ({ stack, background, concurrency }: WatchedStack): Record<string, Alarm> => ({
  ...grouped(
    'FunctionErrorsAlarm',
    background.filter(({ throwsOnPurpose }) => !throwsOnPurpose),
    (group) => {
      const metrics = numbered(group.map(({ id }) => lambda('Errors', 'Sum', id)))
      const description = 'Functions that work in the background fail'
      return { description, metrics, expression: sumOf(Object.keys(metrics)), threshold: 3 }
    },
  ),
  // Of all functions, whoever waits for them.
  FunctionCrashesAlarm: {
    description: 'Functions were killed: out of time, out of memory, or by themselves',
    metrics: { crashes: filtered(stack, 'FunctionCrashes') },
    expression: 'FILL(crashes, 0)',
    threshold: 3,
  },
  // Deliveries end at 84 % of their time where receivers let them wait (lib/delivery/deliver.ts).
  ...grouped('DurationAlarm', background, (group) => {
    const metrics = numbered(group.map(({ id }) => lambda('Duration', 'Maximum', id)))
    const late = group.map(({ timeout }, index) => `IF(FILL(m${index}, 0) >= ${timeout * 900}, 1, 0)`)
    const description = 'Functions that work in the background take 90 % of their time or more'
    return {
      description,
      metrics,
      expression: late.join(' + '),
      threshold: 1,
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
    }
  }),
  // The account's, since all functions share its concurrency.
  ThrottlesAlarm: {
    description: 'Invocations of functions are throttled',
    metrics: { throttles: lambda('Throttles', 'Sum') },
    expression: 'FILL(throttles, 0)',
    threshold: 1,
    evaluationPeriods: 3,
    datapointsToAlarm: 2,
  },
  ConcurrencyAlarm: {
    description: `The account uses 80 % of its concurrency of ${concurrency} or more`,
    metrics: { running: lambda('ConcurrentExecutions', 'Maximum') },
    expression: `100 * FILL(running, 0) / ${concurrency}`,
    threshold: 80,
    period: 60,
    evaluationPeriods: 5,
    datapointsToAlarm: 3,
  },
})

const apiAlarms = ({ stack, stage }: WatchedStack): Record<string, Alarm> => ({
  // Of a hundred requests at least: five errors, or five percent of more requests.
  ServerErrorsAlarm: {
    description: 'Five percent of the responses or more are a 5xx',
    metrics: { errors: api('5XXError', 'Sum', stack, stage), requests: api('Count', 'SampleCount', stack, stage) },
    expression: '100 * FILL(errors, 0) / IF(FILL(requests, 0) < 100, 100, FILL(requests, 0))',
    threshold: 5,
  },
  // The shortest timeout of an operation is 10 s.
  SlowOperationsAlarm: {
    description: 'Operations take 8 s or more, near the timeout of their functions',
    metrics: { latency: api('IntegrationLatency', 'Maximum', stack, stage) },
    expression: 'FILL(latency, 0)',
    threshold: 8_000,
    evaluationPeriods: 3,
    datapointsToAlarm: 2,
  },
})

const OPERATIONS = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems']

/**
 * Alarms on metrics of DynamoDB keep their state where data is missing, whatever TreatMissingData says, and these
 * metrics are there only where something is wrong: unfilled, they would be red for ever.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html (TreatMissingData)
 */
const tableAlarms = (): Record<string, Alarm> => {
  const index = { GlobalSecondaryIndexName: 'due' }
  const throttles = numbered([
    ...['ReadThrottleEvents', 'WriteThrottleEvents'].flatMap((name) => [table(name), table(name, index)]),
  ])
  const errors = numbered(OPERATIONS.map((Operation) => table('SystemErrors', { Operation })))
  return {
    TableThrottlesAlarm: {
      description: 'DynamoDB throttles requests',
      metrics: throttles,
      expression: sumOf(Object.keys(throttles)),
      threshold: 10,
    },
    TableErrorsAlarm: {
      description: 'DynamoDB has faults of its own',
      metrics: errors,
      expression: sumOf(Object.keys(errors)),
      threshold: 5,
    },
  }
}

const DEAD_LETTER_QUEUES = ['WakeUpDeadLetterQueue', 'TimerDeadLetterQueue', 'JobDeadLetterQueue', 'DispatchFailures']

/**
 * Seconds that messages of a queue may wait for. In the slow queue they do, behind others of their owner, for three
 * minutes (lib/delivery/postpone.ts); jobs do while ten others run; and the others are delayed by up to a minute.
 */
const MAX_AGES = { WakeUpQueue: 60, SlowWakeUpQueue: 300, TimerQueue: 180, JobQueue: 1_800 }

const queueAlarms = (): Record<string, Alarm> => {
  const ages = numbered(Object.keys(MAX_AGES).map((id) => queue('ApproximateAgeOfOldestMessage', id)))
  const old = Object.values(MAX_AGES).map((seconds, index) => `IF(FILL(m${index}, 0) >= ${seconds}, 1, 0)`)
  const dead = numbered(DEAD_LETTER_QUEUES.map((id) => queue('ApproximateNumberOfMessagesVisible', id)))
  return {
    OldWakeUpsAlarm: {
      description: 'Wake-ups of lanes, destinations or jobs have waited for too long to be handled',
      metrics: ages,
      expression: old.join(' + '),
      threshold: 1,
      period: 60,
      evaluationPeriods: 7,
      datapointsToAlarm: 5,
    },
    // By growth: what a redrive policy moves counts in no metric of what was sent, and what lies there is known.
    // Without data a queue is empty: one with messages is active. DeadWakeUpsAlarm counts what recoverWakeUps takes at
    // once.
    DeadLettersAlarm: {
      description: 'Dead-letter queues have grown',
      metrics: dead,
      expression: `DIFF(${sumOf(Object.keys(dead))})`,
      threshold: 1,
    },
  }
}

/** `dispatcher`: the function that reads the table's stream. */
export const awsAlarms = (watched: WatchedStack, dispatcher: string): Record<string, Alarm> => ({
  ...functionAlarms(watched),
  ...apiAlarms(watched),
  ...tableAlarms(),
  ...queueAlarms(),
  DispatchDelayAlarm: {
    description: 'Changes of the table have waited for over a minute to be dispatched',
    metrics: { age: lambda('IteratorAge', 'Maximum', dispatcher) },
    expression: 'FILL(age, 0)',
    threshold: 60_000,
    period: 60,
    evaluationPeriods: 5,
    datapointsToAlarm: 3,
  },
})
