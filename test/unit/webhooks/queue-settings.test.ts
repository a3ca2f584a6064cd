/** What infra says of the queues and the stream, against what the code counts on. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { LONGEST_HIDING_SECONDS, MESSAGE_RECEIPTS, WEBHOOK_RECEIPTS } from '../../../lib/delivery/retry-plan.ts'

/** The part of a YAML file under a key, up to the next one of its depth. */
const section = (path: string, key: string): string => {
  const found = new RegExp(`^( *)${key}:\\n(?:(?:\\1 .*)?\\n)*`, 'm').exec(readFileSync(path, 'utf8'))
  if (found === null) throw new Error(`${path} has no ${key}`)
  return found[0]
}

const numberIn = (text: string, name: string): number => Number(new RegExp(`\\b${name}: (-?\\d+)`).exec(text)?.[1])

describe.each([
  ['MessageQueue', 'deliverMessage', MESSAGE_RECEIPTS],
  ['WebhookQueue', 'deliverWebhook', WEBHOOK_RECEIPTS],
])('%s', (queueName, functionName, receipts) => {
  const queue = section('infra/queues.yml', queueName)
  const sender = section('serverless.yml', functionName)

  test('gives a message as many receipts as its plan needs, and its dead-letter queue keeps order too', () => {
    expect(numberIn(queue, 'maxReceiveCount')).toBe(receipts)
    const [, deadLetters = ''] = /deadLetterTargetArn: \{ Fn::GetAtt: \[(\w+), Arn\] \}/.exec(queue) ?? []
    expect(section('infra/queues.yml', deadLetters)).toContain('FifoQueue: true')
  })

  test('hides a message for longer than its function may take, and for less than a step of a delay', () => {
    const timeout = numberIn(sender, 'timeout')
    expect(numberIn(queue, 'VisibilityTimeout')).toBeGreaterThanOrEqual(6 * timeout)
    expect(LONGEST_HIDING_SECONDS + timeout).toBeLessThanOrEqual(12 * 3600)
  })

  test('tells its function each message by itself, and hears which one failed', () => {
    expect(sender).toContain(`Fn::GetAtt: [${queueName}, Arn]`)
    expect(numberIn(sender, 'batchSize')).toBe(1)
    expect(sender).toContain('functionResponseType: ReportBatchItemFailures')
    expect(sender).toContain('environment: *')
  })
})

test('the relay hears of every kind of change that something leaves because of, and never gives one up', () => {
  const relay = section('serverless.yml', 'relayChanges')
  const patterns = [...relay.matchAll(/eventName: \[([\w, ]+)\].*kind: \{ S: \[([\w, ]+)\] \}/g)]
  const passes = patterns.flatMap(([, names = '', kinds = '']) =>
    kinds.split(', ').flatMap((kind) => names.split(', ').map((name) => `${kind} ${name}`)),
  )
  expect(passes.sort()).toEqual([
    'event INSERT',
    'outbox INSERT',
    'outbox MODIFY',
    'record INSERT',
    'record MODIFY',
    'registration MODIFY',
    'replay INSERT',
  ])
  expect(numberIn(relay, 'maximumRetryAttempts')).toBe(-1)
})
