/**
 * The ten alarms, each on one metric. Three are on metrics of the log, whose lines have weights (lib/metrics.ts); the
 * others are on AWS's own metrics, which cost nothing without traffic.
 */
import { ALARM_WEIGHT } from '../../lib/metrics.ts'
import type { Alarm } from './alarm.ts'

export interface WatchedStack {
  /** `<service>-<stage>`. */
  stack: string
  stage: string
  /** Logical ids of functions. */
  sweep: string
  dispatcher: string
  /** Of the account and region. */
  concurrency: number
}

const MINUTES = 60

/**
 * By default the alarm is on while one of the last two periods reaches the threshold: data of the latest may be late.
 */
const EITHER = { period: 5 * MINUTES, least: 1, of: 2 }
/**
 * Periods are not aligned to the clock, they slide from minute to minute: five minutes of failures are often in two of
 * them, and never in three.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation-window.html
 */
const THREE_OF_FOUR = { period: 5 * MINUTES, least: 3, of: 4 }
const THREE_OF_FIVE = { period: MINUTES, least: 3, of: 5 }

/** Functions of the log group, by the names of their log streams. */
const BY_FUNCTION = 'parse @logStream /(?<function>[^\\/\\[]+)\\[/'
const BUSY = `filter type = "platform.report" | ${BY_FUNCTION} | stats count(*) as invocations, sum(record.metrics.durationMs) / 300000 as atOnce by function, bin(5m) | sort atOnce desc`

/** The metrics of infra/metric-filters.yml. */
const ofLog = (stack: string, name: string) => ({ log: 'LogGroup', namespace: stack, name }) as const

const logAlarms = ({ stack }: WatchedStack): Record<string, Alarm> => ({
  FaultsAlarm: {
    ...{ ...ofLog(stack, 'FaultsAlarm'), statistic: 'Sum', threshold: ALARM_WEIGHT, ...EITHER },
    description: 'The service or AWS has failed, or work was given up; the log has the codes',
    query:
      'filter alarm = "FaultsAlarm" or record.status in ["timeout", "failure"] or record.errorType like "Runtime." | parse @logStream /(?<functionName>[^\\/\\[]+)\\[/ | stats sum(weight) / 1000000 as percent, count(*) as lines, latest(message) as what, latest(error) as lastError, latest(reason) as lastReason by event, functionName, record.status, record.errorType | sort percent desc',
  },
  UnreachableAlarm: {
    ...{
      ...ofLog(stack, 'UnreachableAlarm'),
      statistic: 'Sum',
      threshold: ALARM_WEIGHT,
      ...EITHER,
      period: 15 * MINUTES,
    },
    description: 'Third parties are unreachable: wallets, mediators, webhook endpoints or token issuers',
    query:
      'filter alarm = "UnreachableAlarm" | stats sum(weight) / 1000000 as percent, latest(message) as what, latest(lanes) as lanes, latest(fault) as fault, latest(reason) as reason by event, destination, endpointId, issuer | sort percent desc',
  },
  // By growth, because old messages are known. Messages moved by redrive policies are in no metric of sent messages.
  // They are counted about every five minutes: a shorter period would sometimes have no count.
  DeadLettersAlarm: {
    ...{ ...ofLog(stack, 'DeadLettersAlarm'), statistic: 'Maximum', compared: 'growth', threshold: 1 },
    ...{ ...EITHER, period: 10 * MINUTES },
    description: 'Dead-letter queues have grown',
    query:
      'filter event in ["outbox.dead_letters", "job.stuck", "job.malformed", "wake_up.dead", "dispatcher.event_not_written"] | fields @timestamp, event, wakeUps, timers, jobs, dispatches, type, error | sort @timestamp desc',
  },
})

/** https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html */
const lambda = (name: string, functionId?: string) => ({
  ...{ log: 'LogGroup' as const, namespace: 'AWS/Lambda', name },
  ...(functionId !== undefined && { dimensions: { FunctionName: { Ref: functionId } } }),
})

const functionAlarms = ({ sweep, dispatcher, concurrency }: WatchedStack): Record<string, Alarm> => ({
  // The sweep runs every minute; nothing else handles items that are due after a minute or more. In a new stack the
  // alarm is on until the first run. A failed run is in the log, for FaultsAlarm.
  SweepAlarm: {
    ...{ ...lambda('Invocations', sweep), statistic: 'Sum', compared: 'silence', threshold: 1 },
    ...{ period: MINUTES, least: 5, of: 5 },
    description: 'The sweep of the outbox does not run',
    query:
      'filter @logStream like /sweepOutbox/ | fields @timestamp, event, type, record.status, error | sort @timestamp desc | limit 50',
  },
  // Of the account, since all functions share its concurrency.
  ThrottlesAlarm: {
    ...{ ...lambda('Throttles'), statistic: 'Sum', threshold: 1, ...THREE_OF_FOUR },
    description: 'Invocations of functions are throttled',
    query: BUSY,
  },
  ConcurrencyAlarm: {
    ...{ ...lambda('ConcurrentExecutions'), statistic: 'Maximum', threshold: 0.8 * concurrency, ...THREE_OF_FIVE },
    description: `The account uses 80 % of its concurrency of ${concurrency} or more`,
    query: BUSY,
  },
  DispatchDelayAlarm: {
    ...{ ...lambda('IteratorAge', dispatcher), statistic: 'Maximum', threshold: 60_000, ...THREE_OF_FIVE },
    description: 'Changes of the table have waited for over a minute to be dispatched',
    query:
      'filter event like /^dispatcher/ or (event in ["function.failed", "store.failed", "wake_up.queue_unavailable"] and @logStream like /dispatchChanges/) | stats count(*) as lines, latest(error) as lastError by event',
  },
})

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html */
const apiAlarms = ({ stack, stage }: WatchedStack): Record<string, Alarm> => {
  const api = { namespace: 'AWS/ApiGateway', dimensions: { ApiName: stack, Stage: stage } }
  return {
    // The average of 5XXError is their share. Three minutes, so that one error among few requests raises no alarm.
    ServerErrorsAlarm: {
      ...{ ...api, name: '5XXError', statistic: 'Average', threshold: 0.05, period: MINUTES, least: 3, of: 10 },
      description: 'Five percent of the responses or more are a 5xx, in three of ten minutes',
      log: 'LogGroup',
      query:
        'filter event = "request.failed" | stats count(*) as errors, latest(requestId) as oneRequest by operationId, status, name, code | sort errors desc',
    },
    // The shortest timeout of an operation is 10 s.
    SlowOperationsAlarm: {
      ...{ ...api, name: 'IntegrationLatency', statistic: 'Maximum', threshold: 8_000, ...THREE_OF_FOUR },
      description: 'Operations take 8 s or more, near the timeout of their functions',
      log: 'AccessLog',
      query:
        'filter functionLatency >= 8000 | stats count(*) as requests, max(functionLatency) as longest by operation | sort requests desc',
    },
  }
}

const queueAlarms = (): Record<string, Alarm> => ({
  // Wake-ups in the other queues are also in the index `due`, and become overdue for the sweep (outbox.overdue); a
  // lane whose only wake-up is in this one is not. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
  OldWakeUpsAlarm: {
    ...{ namespace: 'AWS/SQS', name: 'ApproximateAgeOfOldestMessage', statistic: 'Maximum', threshold: 60 },
    ...{ dimensions: { QueueName: { 'Fn::GetAtt': ['WakeUpQueue', 'QueueName'] } }, period: MINUTES, least: 5, of: 7 },
    description: 'Wake-ups of lanes have waited for a minute or more',
    log: 'LogGroup',
    query: BUSY,
  },
})

export const alarmsOf = (watched: WatchedStack): Record<string, Alarm> => ({
  ...logAlarms(watched),
  ...functionAlarms(watched),
  ...apiAlarms(watched),
  ...queueAlarms(),
})
