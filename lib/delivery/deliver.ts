/** Handles a batch of wake-ups: one delivery for each lane, of messages or of events. */

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { POST_LIMITS } from '../egress/post.ts'
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { measure } from '../metrics.ts'
import { deliverLane } from '../outbox/deliver-lane.ts'
import { isDelivered, openMessageLane } from '../outbox/message-lane.ts'
import { decodeWakeUp, type FirstItem, isForLane } from '../outbox/wake-ups/index.ts'
import { openEventLane } from '../webhooks/event-lane.ts'
import { postpone } from './postpone.ts'

/** Time for an attempt besides the POST, in ms: reading, opening a secret, recording. */
const AROUND_MS = 5_000

const after = (ms: number, act: () => void): (() => void) => {
  const timer = setTimeout(act, ms)
  return () => clearTimeout(timer)
}

/** Delivers the lanes, and reports the wake-ups to be received again. `queue`: the queue that they come from. */
export const deliverBatch = async (
  { Records }: SQSEvent,
  context: Context,
  queue: 'fast' | 'slow',
): Promise<SQSBatchResponse> => {
  const startUntil = Date.now() + context.getRemainingTimeInMillis() - POST_LIMITS.attemptMs - AROUND_MS
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
    measure('error', 'a message of the queue is no wake-up of a lane', fields, { values: { WakeUpsDead: 1 } })
    return []
  }
  try {
    const open = async (lane: string, first?: FirstItem) =>
      openMessageLane(lane, { first }) ?? (await openEventLane(lane))
    const { SentTimestamp, ApproximateFirstReceiveTimestamp, ApproximateReceiveCount, MessageDeduplicationId } =
      attributes ?? {}
    const repeated = Number(ApproximateReceiveCount) > 1
    // One that comes again goes to its lane: the invocation that received it before has died, maybe with the lane.
    if (!repeated && isDelivered(MessageDeduplicationId ?? '')) return []
    const queuedFor = Number(ApproximateFirstReceiveTimestamp) - Number(SentTimestamp)
    if (await postpone(wakeUp, { queue, queuedFor, now: Date.now() })) return []
    const environment = { now: Date.now, random: Math.random, newId: randomUUID, pause, after }
    await deliverLane(wakeUp, { ...environment, startUntil, queue, repeated, open })
    return []
  } catch (error) {
    log('error', 'a lane could not be delivered', {
      event: 'outbox.delivery_failed',
      messageId,
      error: errorName(error),
    })
    return [messageId]
  }
}
