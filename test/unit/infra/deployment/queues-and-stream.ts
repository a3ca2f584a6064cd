/**
 * The queues, the schedule and the stream as they are deployed, against the leases of lib/outbox and the timeouts of
 * the functions.
 */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { rateMs } from '../../../../infra/local/schedule.ts'
import type { Resource } from '../../../../infra/service.ts'
import { ALARM_AFTER_MS } from '../../../../lib/auth/key-age.ts'
import { POST_LIMITS } from '../../../../lib/egress/post.ts'
import { outboxItem } from '../../../../lib/outbox/messages/message-item.ts'
import { heartbeatItem } from '../../../../lib/outbox/stream-heartbeat.ts'
import { deletedRecordItem } from '../../../../lib/store/deleted-record.ts'
import { pendingEventItem } from '../../../../lib/webhooks/event-item.ts'
import { ofType } from '../../../support/stage/template.ts'
import { defaultTimeout, functions, resources } from './packaged.ts'

const propertiesOf = (id: string): Record<string, unknown> => {
  const resource: Resource | undefined = resources[id]
  if (resource === undefined) throw new Error(`there is no ${id}`)
  return resource.Properties
}

const lambdaOf = (key: string): string => `${key.replace(/^./, (letter) => letter.toUpperCase())}LambdaFunction`

/** The event source mappings of a function. */
const mappingsOf = (key: string): Record<string, unknown>[] => {
  const lambda = JSON.stringify({ 'Fn::GetAtt': [lambdaOf(key), 'Arn'] })
  return ofType(resources, 'AWS::Lambda::EventSourceMapping')
    .map(([, { Properties }]) => Properties)
    .filter(({ FunctionName }) => JSON.stringify(FunctionName) === lambda)
}
const mappingOf = (key: string): Record<string, unknown> => {
  const [mapping, ...others] = mappingsOf(key)
  if (mapping === undefined || others.length > 0) throw new Error(`${key} has not exactly one source`)
  return mapping
}
const timeoutOf = (key: string): number => functions[key]?.timeout ?? defaultTimeout

/** lib/outbox/lanes/lane.ts */
const LEASE_SECONDS = 45
/** lib/jobs/lease.ts */
const JOB_LEASE_SECONDS = 90

const deadLettersOf = (queue: string): string => {
  const { deadLetterTargetArn } = propertiesOf(queue).RedrivePolicy as {
    deadLetterTargetArn: { 'Fn::GetAtt': [string, string] }
  }
  return deadLetterTargetArn['Fn::GetAtt'][0]
}

describe.each([
  { queue: 'WakeUpQueue', key: 'deliver', fifo: true, atOnce: 1 },
  { queue: 'SlowWakeUpQueue', key: 'deliverSlowly', fifo: true, atOnce: 1 },
  { queue: 'TimerQueue', key: 'wake', fifo: false, atOnce: 10 },
])('$queue', ({ queue, key, fifo, atOnce }) => {
  const mapping = mappingOf(key)

  test(`invokes its function with ${atOnce} at most, which reports what failed`, () => {
    expect(mapping).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [queue, 'Arn'] },
      BatchSize: atOnce,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    })
  })

  test('hides a wake-up six times as long as its function may take, as Lambda asks for, and longer than a lease', () => {
    expect(propertiesOf(queue).VisibilityTimeout).toBe(6 * timeoutOf(key))
    expect(propertiesOf(queue).VisibilityTimeout).toBeGreaterThan(LEASE_SECONDS)
  })

  test('gives a wake-up up after a few tries to a queue of its own kind, which is recovered from', () => {
    expect(propertiesOf(queue).RedrivePolicy).toMatchObject({ maxReceiveCount: 3 })
    const dead = deadLettersOf(queue)
    expect(propertiesOf(dead).FifoQueue).toBe(propertiesOf(queue).FifoQueue)
    expect(propertiesOf(dead).MessageRetentionPeriod).toBe(propertiesOf(queue).MessageRetentionPeriod)
    expect(functions.sweepOutbox?.permissions).toContain('receive WakeUpDeadLetterQueue TimerDeadLetterQueue')
    expect(['WakeUpDeadLetterQueue', 'TimerDeadLetterQueue']).toContain(dead)
    expect(propertiesOf(dead).VisibilityTimeout).toBeGreaterThanOrEqual(timeoutOf('sweepOutbox'))
  })

  test(fifo ? 'keeps one wake-up of a lane, and no lane waits for another' : 'delays', () => {
    const kind = {
      QueueName: { 'Fn::Sub': [expect.stringMatching(/\.fifo$/), expect.anything()] },
      ...{ FifoQueue: true, DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' },
    }
    if (fifo) expect(propertiesOf(queue)).toMatchObject(kind)
    else expect(propertiesOf(queue)).not.toHaveProperty('FifoQueue')
    expect(propertiesOf(queue)).not.toHaveProperty('ContentBasedDeduplication')
  })
})

describe.each([
  { queue: 'JobQueue', key: 'runJobs', atOnce: 10 },
  { queue: 'RemovalQueue', key: 'removeOwned', atOnce: 2 },
])('$queue', ({ queue, key, atOnce }) => {
  test('gives each job to an invocation of its own, which reports what failed, and not all of the account to jobs', () => {
    expect(mappingOf(key)).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [queue, 'Arn'] },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: atOnce },
    })
  })

  test('hides a wake-up six times as long as its function may take, and longer than a lease, which is longer than the function', () => {
    expect(propertiesOf(queue).VisibilityTimeout).toBe(6 * timeoutOf(key))
    expect(propertiesOf(queue).VisibilityTimeout).toBeGreaterThan(JOB_LEASE_SECONDS)
    expect(JOB_LEASE_SECONDS).toBeGreaterThan(timeoutOf(key))
  })

  test('gives a wake-up up after three tries: the job itself is in the table, and due again', () => {
    expect(propertiesOf(queue)).not.toHaveProperty('FifoQueue')
    expect(propertiesOf(queue).RedrivePolicy).toMatchObject({ maxReceiveCount: 3 })
    expect(deadLettersOf(queue)).toBe('JobDeadLetterQueue')
  })
})

describe.each(['deliver', 'deliverSlowly'])('%s', (key) => {
  test('has time for an attempt and what is around it, and a lease that is longer', () => {
    expect(timeoutOf(key) * 1000).toBeGreaterThanOrEqual(POST_LIMITS.attemptMs + 5_000)
    expect(LEASE_SECONDS).toBeGreaterThan(timeoutOf(key))
  })

  test('has one lane at a time, and not all of the account for itself', () => {
    expect(mappingOf(key)).toMatchObject({
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: expect.any(Number) },
    })
  })
})

test('slow destinations have fewer invocations than all other ones', () => {
  const most = (key: string) => (mappingOf(key).ScalingConfig as { MaximumConcurrency: number }).MaximumConcurrency
  expect(most('deliverSlowly')).toBeLessThan(most('deliver'))
})

test('the sweep runs every minute, and is over before the next one', () => {
  const rules = ofType(resources, 'AWS::Events::Rule').map(([, { Properties }]) => Properties)
  const target = { Arn: { 'Fn::GetAtt': [lambdaOf('sweepOutbox'), 'Arn'] } }
  expect(rules).toContainEqual(
    expect.objectContaining({
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Targets: [expect.objectContaining(target)],
    }),
  )
  expect(timeoutOf('sweepOutbox')).toBeLessThan(60)
})

test('the keys of issuers are confirmed so often that two failures raise no alarm', () => {
  const rules = ofType(resources, 'AWS::Events::Rule').map(([, { Properties }]) => Properties)
  const target = { Arn: { 'Fn::GetAtt': [lambdaOf('confirmIssuerKeys'), 'Arn'] } }
  const rule = rules.find(({ Targets }) => isDeepStrictEqual(Object(Targets)[0]?.Arn, target.Arn))
  expect(rule?.State).toBe('ENABLED')
  const every = rateMs(String(rule?.ScheduleExpression))
  expect(every * 3).toBeLessThan(ALARM_AFTER_MS)
  expect(timeoutOf('confirmIssuerKeys') * 1000).toBeLessThan(every)
})

test('every queue is sealed, and keeps what it has for 14 days, the longest that SQS does', () => {
  for (const [id, { Properties }] of ofType(resources, 'AWS::SQS::Queue'))
    expect({ id, ...Properties }).toMatchObject({
      id,
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 24 * 60 * 60,
    })
})

test('whatever a queue invokes may wake itself again: Lambda would end such a chain after 16', () => {
  const looping = ofType(resources, 'AWS::Lambda::Function').flatMap(([id, { Properties }]) =>
    Properties.RecursiveLoop === 'Allow' ? [id] : [],
  )
  const invoked = Object.keys(functions).filter((key) => functions[key]?.events?.some(({ sqs }) => sqs !== undefined))
  expect(looping.toSorted()).toEqual(invoked.map(lambdaOf).toSorted())
})

describe('the stream', () => {
  const mapping = mappingOf('dispatchChanges')

  test('shows what a change made of what, a hundred changes at most in a call', () => {
    expect(mapping.BatchSize).toBe(100)
    expect(propertiesOf('Table').StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' })
    expect(mapping.EventSourceArn).toEqual({ 'Fn::GetAtt': ['Table', 'StreamArn'] })
  })

  test('is read from its start, and a change that an outage has kept for 23 h is named before the stream, which holds it for 24 h, forgets it', () => {
    expect(mapping).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: -1,
      MaximumRecordAgeInSeconds: 23 * 60 * 60,
    })
  })

  test('is told of every kind of change that wakes a lane or is an event, of heartbeats, and of no other', () => {
    const { Filters } = mapping.FilterCriteria as { Filters: { Pattern: string }[] }
    const passes = Filters.map(({ Pattern }) => JSON.parse(Pattern)).flatMap(({ eventName, dynamodb }) =>
      dynamodb.NewImage.kind.S.flatMap((kind: string) => eventName.map((name: string) => `${kind} ${name}`)),
    )
    const both = [heartbeatItem.kind, 'record'].flatMap((kind) => [`${kind} INSERT`, `${kind} MODIFY`])
    const inserts = [deletedRecordItem, outboxItem, pendingEventItem].map(({ kind }) => `${kind} INSERT`)
    expect(passes.sort()).toEqual([...inserts, ...both, 'registration MODIFY'].sort())
  })

  test('tells where it gave up in a queue; Lambda takes no FIFO queue for it', () => {
    expect(mapping.DestinationConfig).toEqual({
      OnFailure: { Destination: { 'Fn::GetAtt': ['DispatchFailures', 'Arn'] } },
    })
    expect(propertiesOf('DispatchFailures')).not.toHaveProperty('FifoQueue')
  })
})

test('the index of what is due has what the sweep needs, and no content', () => {
  expect(propertiesOf('Table').GlobalSecondaryIndexes).toMatchObject([
    {
      IndexName: 'due',
      KeySchema: [
        { AttributeName: 'dueShard', KeyType: 'HASH' },
        { AttributeName: 'dueAt', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['kind', 'lane', 'destination', 'epoch'] },
    },
  ])
})

test('the table forgets what has expired, and can be brought back to any second of the last weeks', () => {
  expect(propertiesOf('Table')).toMatchObject({
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
  })
})
