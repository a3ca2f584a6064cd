/** The alarms on what the service itself measures. */
import type { Alarm } from './alarm.ts'
import { own } from './metrics.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** `threshold` of them within five minutes. */
const counted = (description: string, name: Parameters<typeof own>[0], threshold: number): Alarm => ({
  description,
  metrics: { count: own(name) },
  expression: 'FILL(count, 0)',
  threshold,
})

/** `maxWaiting`: lanes that may wait for their destinations, or for a time, before it is an alarm. */
export const serviceAlarms = ({ maxWaiting }: { maxWaiting: number }): Record<string, Alarm> => ({
  // It runs every minute; what is due after a minute and more is handled by nobody else. In a new stack it is red until
  // the first one.
  SweepAlarm: {
    description: 'The sweep of the outbox does not run',
    metrics: { sweeps: own('OutboxDueAge', 'SampleCount') },
    expression: 'sweeps',
    threshold: 1,
    comparison: 'LessThanThreshold',
    missingData: 'breaching',
    period: 60,
    evaluationPeriods: 5,
    datapointsToAlarm: 5,
  },
  DueAlarm: {
    description: 'What is due has not been handled for ten minutes',
    metrics: { age: own('OutboxDueAge', 'Maximum') },
    expression: 'age',
    threshold: 10 * MINUTE,
    datapointsToAlarm: 2,
  },
  // They are counted every five minutes, in the first of five sweeps. A period that has sweeps but no count is over the
  // threshold.
  WaitingAlarm: {
    description: `${maxWaiting} lanes or more wait for their receivers, or nobody counts them`,
    metrics: { lanes: own('OutboxWaiting', 'Maximum'), sweeps: own('OutboxDueAge', 'SampleCount') },
    expression: `IF(FILL(sweeps, 0) >= 3, FILL(lanes, ${maxWaiting}), FILL(lanes, 0))`,
    threshold: maxWaiting,
    evaluationPeriods: 3,
    datapointsToAlarm: 3,
  },
  // Events are given up after 75 h 35 min (lib/outbox/retry-plan.ts), messages after a day.
  WaitingAgeAlarm: {
    description: 'Something waits for longer than it may: it is not given up',
    metrics: { age: own('OutboxWaitingAge', 'Maximum') },
    expression: 'age',
    threshold: 77 * HOUR,
    datapointsToAlarm: 2,
  },
  // One that is down is a problem of its owner; many at once suggest a problem of this service.
  DestinationsClosedAlarm: {
    ...counted('Many wallets, mediators or endpoints can not be reached', 'DestinationsClosed', 20),
    period: 900,
  },
  EndpointsDisabledAlarm: {
    ...counted('Many webhook endpoints were disabled at once', 'EndpointDisabled', 5),
    period: 900,
  },
  DeadWakeUpsAlarm: counted('Wake-ups that our own code could not handle', 'WakeUpsDead', 1),
  ParkedChangesAlarm: counted(
    'Changes of the table that could not be dispatched, and were put aside',
    'ChangesParked',
    1,
  ),
  WorkGivenUpAlarm: counted('Messages or events that can not be read, or jobs, were given up', 'WorkGivenUp', 1),
  KmsFaultsAlarm: counted('KMS does not open or make data keys', 'KmsFaults', 3),
  AuthorizerFaultsAlarm: counted('Tokens can neither be accepted nor refused', 'AuthorizerFaults', 3),
  IssuerKeysAlarm: {
    ...counted('The keys of a token issuer are not confirmed', 'IssuerKeysNotConfirmed', 1),
    period: 900,
  },
})
