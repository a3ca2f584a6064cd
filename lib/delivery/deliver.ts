/** Handles a batch of wake-ups: one delivery for each lane, of messages or of events. */

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { POST_LIMITS } from '../egress/post.ts'
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { measure } from '../metrics.ts'
import { deliverLane } from '../outbox/deliver-lane.ts'
import { isDelivered, messageLaneContents } from '../outbox/message-lane.ts'
import { decodeWakeUp, type FirstItem, isForLane, messageLaneOf } from '../outbox/wake-ups/index.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { isRemoved } from '../tenants/tenants.ts'
import { eventLaneContents } from '../webhooks/event-lane.ts'
import { postpone } from './postpone.ts'

/** Time for an attempt besides the POST, in ms: reading, decrypting a secret, recording. */
const OVERHEAD_MS = 5_000

const after = (ms: number, act: () => void): (() => void) => {
  const timer = setTimeout(act, ms)
  return () => clearTimeout(timer)
}

/**
 * Delivers the lanes of wake-ups, and reports the failed ones, which SQS delivers again. `queue`: where they come from.
 */
export const deliverBatch = async (
  { Records }: SQSEvent,
  context: Context,
  queue: 'fast' | 'slow',
): Promise<SQSBatchResponse> => {
  const startUntil = Date.now() + context.getRemainingTimeInMillis() - POST_LIMITS.attemptMs - OVERHEAD_MS
  const failed = await Promise.all(Records.map((record) => deliverOne(record, startUntil, queue)))
  return { batchItemFailures: failed.flat().map((itemIdentifier) => ({ itemIdentifier })) }
}

const deliverOne = async (
  { body, messageId, attributes }: SQSRecord,
  startUntil: number,
  queue: 'fast' | 'slow',
): Promise<string[]> => {
  const wakeUp = decodeWakeUp(body)
  if (wakeUp === undefined || !isForLane(wakeUp)) {
    const fields = { event: 'wake_up.malformed', messageId } as const
    measure('error', 'queue message is not a wake-up of a lane', fields, { values: { WakeUpsDead: 1 } })
    return []
  }
  try {
    const contentsOf = async (lane: string, first?: FirstItem) =>
      messageLaneContents(lane, { first, removed: await isRemoved(messageLaneOf(lane)?.tenant ?? BASE_AGENT) }) ??
      (await eventLaneContents(lane))
    const { SentTimestamp, ApproximateFirstReceiveTimestamp, ApproximateReceiveCount, MessageDeduplicationId } =
      attributes ?? {}
    const repeated = Number(ApproximateReceiveCount) > 1
    // A repeated wake-up goes to its lane: the invocation that received it before has died, maybe with the lease.
    if (!repeated && isDelivered(MessageDeduplicationId ?? '')) return []
    const queuedFor = Number(ApproximateFirstReceiveTimestamp) - Number(SentTimestamp)
    if (await postpone(wakeUp, { queue, queuedFor, now: Date.now() })) return []
    const environment = { now: Date.now, random: Math.random, newId: randomUUID, pause, after }
    await deliverLane(wakeUp, { ...environment, startUntil, queue, repeated, contentsOf })
    return []
  } catch (error) {
    log('error', 'lane delivery failed', {
      event: 'outbox.delivery_failed',
      messageId,
      error: errorName(error),
    })
    return [messageId]
  }
}
