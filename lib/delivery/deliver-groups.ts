/** A batch of a FIFO queue: groups in parallel, in order within a group; what failed comes back by its plan. */
import type { SQSRecord } from 'aws-lambda'
import { log } from '../log.ts'

/**
 * What became of a message: `done` leaves the queue; `later` comes back after some seconds, and its group waits for it;
 * `spent` has used up its plan and is left to the queue's redrive, and its group goes on.
 */
export type Verdict = { kind: 'done' } | { kind: 'later'; seconds: number } | { kind: 'spent' }

export interface GroupDelivery {
  /** Delivers one message. `attempt` counts its receipts, from 1. Must not start what can't end before `startUntil`. */
  deliver(record: SQSRecord, attempt: number): Promise<Verdict>
  /** Hides received messages from now on; must not throw. */
  hide(receiptHandles: string[], seconds: number): Promise<void>
  /** The delay after an attempt that ended in an exception: ours or AWS's. */
  secondsAfterFault(attempt: number): number
  /** Ms since the epoch: from then on nothing is started, for the function's time ends. */
  startUntil: number
}

const attemptOf = ({ attributes }: SQSRecord): number => Math.max(1, Number(attributes.ApproximateReceiveCount) || 1)

const deliverOne = async (record: SQSRecord, delivery: GroupDelivery): Promise<Verdict> => {
  const attempt = attemptOf(record)
  try {
    return await delivery.deliver(record, attempt)
  } catch (error) {
    const seconds = delivery.secondsAfterFault(attempt)
    log('error', 'delivery broke off', { messageId: record.messageId, attempt, seconds, error: String(error) })
    return { kind: 'later', seconds }
  }
}

const deliverGroup = async (group: SQSRecord[], delivery: GroupDelivery): Promise<SQSRecord[]> => {
  const spent: SQSRecord[] = []
  for (const [index, record] of group.entries()) {
    const outOfTime = index > 0 && Date.now() >= delivery.startUntil
    const verdict: Verdict = outOfTime ? { kind: 'later', seconds: 0 } : await deliverOne(record, delivery)
    if (verdict.kind === 'spent') spent.push(record)
    if (verdict.kind === 'later') {
      // All that wait become visible together: none can overtake the first.
      const waiting = group.slice(index)
      await comeBack(waiting, verdict.seconds, delivery)
      await comeBack(spent, 0, delivery)
      return [...spent, ...waiting]
    }
  }
  await comeBack(spent, 0, delivery)
  return spent
}

const comeBack = async (records: SQSRecord[], seconds: number, { hide }: GroupDelivery): Promise<void> => {
  const handles = records.map(({ receiptHandle }) => receiptHandle)
  if (handles.length > 0) await hide(handles, seconds)
}

/**
 * Delivers a batch and returns the ids of the messages that failed or were not reached.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
export const deliverGroups = async (records: SQSRecord[], delivery: GroupDelivery): Promise<string[]> => {
  const groups = Map.groupBy(records, ({ attributes, messageId }) => attributes.MessageGroupId ?? messageId)
  const failed = await Promise.all(Array.from(groups.values(), (group) => deliverGroup(group, delivery)))
  return failed.flat().map(({ messageId }) => messageId)
}
