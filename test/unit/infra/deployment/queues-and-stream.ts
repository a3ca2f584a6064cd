/** The queues and the stream as they are deployed, against the plans of lib/delivery and the timeouts of the functions. */
import { describe, expect, test } from 'vitest'
import type { Resource } from '../../../../infra/service.ts'
import { POST_LIMITS } from '../../../../lib/delivery/post.ts'
import {
  MESSAGE_PLAN,
  MESSAGE_RECEIPTS,
  nextDelay,
  type RetryPlan,
  WEBHOOK_PLAN,
  WEBHOOK_RECEIPTS,
} from '../../../../lib/delivery/retry-plan.ts'
import { ofType } from '../../../support/stage-template.ts'
import { defaultTimeout, functions, resources } from './packaged.ts'

const propertiesOf = (id: string): Record<string, unknown> => {
  const resource: Resource | undefined = resources[id]
  if (resource === undefined) throw new Error(`there is no ${id}`)
  return resource.Properties
}

/** The event source mapping of a function. */
const mappingOf = (key: string): Record<string, unknown> => {
  const lambda = `${key.replace(/^./, (letter) => letter.toUpperCase())}LambdaFunction`
  const [mapping, ...others] = ofType(resources, 'AWS::Lambda::EventSourceMapping')
    .map(([, { Properties }]) => Properties)
    .filter(({ FunctionName }) => JSON.stringify(FunctionName) === JSON.stringify({ 'Fn::GetAtt': [lambda, 'Arn'] }))
  if (mapping === undefined || others.length > 0) throw new Error(`${key} has not exactly one source`)
  return mapping
}

/** Ms from the first attempt to the last, when every receiver asks for as long a delay as it can get. */
const longest = (plan: RetryPlan): number =>
  Array.from(
    { length: plan.attempts - 1 },
    (_, index) => nextDelay(plan, { attempt: index + 1, random: 0, retryAfter: Number.MAX_SAFE_INTEGER }) ?? 0,
  ).reduce((sum, delay) => sum + delay, 0)

describe.each([
  { queue: 'MessageQueue', key: 'deliverMessage', receipts: MESSAGE_RECEIPTS, plan: MESSAGE_PLAN },
  { queue: 'WebhookQueue', key: 'deliverWebhook', receipts: WEBHOOK_RECEIPTS, plan: WEBHOOK_PLAN },
])('$queue', ({ queue, key, receipts, plan }) => {
  const timeout = functions[key]?.timeout ?? defaultTimeout
  const mapping = mappingOf(key)

  test('invokes its function, which reports what failed', () => {
    expect(mapping).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [queue, 'Arn'] },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    })
  })

  test('hides a message six times as long as its function may take, as Lambda asks for', () => {
    expect(propertiesOf(queue).VisibilityTimeout).toBe(6 * timeout)
  })

  test('gives its function time for an attempt, and what is around it, of each message of a batch', () => {
    expect(timeout * 1000).toBeGreaterThanOrEqual(Number(mapping.BatchSize) * POST_LIMITS.attemptMs + 5_000)
  })

  test('keeps order within a group, and no group waits for another', () => {
    expect(propertiesOf(queue)).toMatchObject({
      QueueName: expect.stringMatching(/\.fifo$/),
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    })
  })

  test('lets every attempt of the plan happen before it gives a message up', () => {
    const { RedrivePolicy } = propertiesOf(queue)
    expect(RedrivePolicy).toMatchObject({ maxReceiveCount: receipts })
    expect(receipts).toBeGreaterThan(plan.attempts)
    expect(receipts).toBeLessThanOrEqual(1000)
  })

  test('holds a message for longer than the plan can take', () => {
    expect(Number(propertiesOf(queue).MessageRetentionPeriod) * 1000).toBeGreaterThan(longest(plan))
  })

  test('gives up to a queue of its own kind, which keeps for as long and wakes somebody', () => {
    const { RedrivePolicy, MessageRetentionPeriod } = propertiesOf(queue)
    const { deadLetterTargetArn } = RedrivePolicy as { deadLetterTargetArn: { 'Fn::GetAtt': [string, string] } }
    const [dead] = deadLetterTargetArn['Fn::GetAtt']
    expect(propertiesOf(dead)).toMatchObject({
      QueueName: expect.stringMatching(/\.fifo$/),
      FifoQueue: true,
      MessageRetentionPeriod,
    })
    expect(watched()).toContain(dead)
  })
})

/** Queues that have an alarm when there is anything in them. */
const watched = (): string[] =>
  ofType(resources, 'AWS::CloudWatch::Alarm').flatMap(([, { Properties }]) => {
    const { Dimensions, Threshold, ComparisonOperator, AlarmActions } = Properties
    const [{ Value } = {}] = Dimensions as { Value?: { 'Fn::GetAtt'?: string[] } }[]
    const isHeard = Threshold === 0 && ComparisonOperator === 'GreaterThanThreshold' && Array.isArray(AlarmActions)
    return isHeard ? (Value?.['Fn::GetAtt']?.[0] ?? []) : []
  })

test('every queue is sealed', () => {
  for (const [id, { Properties }] of ofType(resources, 'AWS::SQS::Queue'))
    expect({ id, sealed: Properties.SqsManagedSseEnabled }).toEqual({ id, sealed: true })
})

describe('the stream', () => {
  const mapping = mappingOf('relayChanges')

  test('shows what a change made of what', () => {
    expect(propertiesOf('Table').StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' })
    expect(mapping.EventSourceArn).toEqual({ 'Fn::GetAtt': ['Table', 'StreamArn'] })
  })

  test('is read from its start, and no change is passed over as long as the stream holds it', () => {
    expect(mapping).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: -1,
    })
    expect(mapping).not.toHaveProperty('MaximumRecordAgeInSeconds')
  })

  test('tells where it gave up in a queue that wakes somebody; Lambda takes no FIFO queue for it', () => {
    expect(mapping.DestinationConfig).toEqual({
      OnFailure: { Destination: { 'Fn::GetAtt': ['RelayFailures', 'Arn'] } },
    })
    expect(propertiesOf('RelayFailures')).not.toHaveProperty('FifoQueue')
    expect(watched()).toContain('RelayFailures')
  })
})

test('the table stays when the stack goes, and forgets what has expired', () => {
  const { DeletionPolicy, UpdateReplacePolicy } = resources.Table as Resource & Record<string, unknown>
  expect({ DeletionPolicy, UpdateReplacePolicy }).toEqual({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' })
  expect(propertiesOf('Table')).toMatchObject({
    DeletionProtectionEnabled: true,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
  })
})
