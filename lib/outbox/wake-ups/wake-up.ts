/**
 * Wake-ups: small SQS messages that name a lane, a destination or a job that has work to do. Each may arrive twice,
 * late or never.
 */
import * as v from 'valibot'
import { digest, shardOf } from '../../store/keys.ts'
import { jobKeyOf, laneOwner } from './keys.ts'

const Time = v.pipe(v.number(), v.integer(), v.minValue(0))

/** An item that was the only one in its lane when it was committed, and its destination. */
const FirstItem = v.object({ id: v.string(), destination: v.string() })
export type FirstItem = v.InferOutput<typeof FirstItem>

const LaneWakeUp = v.object({
  lane: v.string(),
  /**
   * `committed`: an item was added. `due`: the time of the lane in the index `due` has come; a wake-up with another
   * time does nothing. `released`, `probe` and `expired` are for a lane in a destination's waiting list, and name its
   * entry there.
   */
  reason: v.variant('kind', [
    v.object({ kind: v.literal('committed'), first: v.optional(FirstItem) }),
    v.object({ kind: v.literal('due'), at: Time }),
    v.object({ kind: v.picklist(['released', 'expired']), waiting: v.string() }),
    // The time makes each deduplication id unique: the only lane in the list probes several times with the same entry.
    v.object({ kind: v.literal('probe'), waiting: v.string(), destination: v.string(), at: Time }),
  ]),
  /** Number of successive deliveries of this lane, each woken by the one before. */
  hops: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
})
export type LaneWakeUp = v.InferOutput<typeof LaneWakeUp>

/** A destination is due at this time in the index `due`: it is probed, or waiting lanes are released. */
const DestinationWakeUp = v.object({ destination: v.string(), at: Time })
export type DestinationWakeUp = v.InferOutput<typeof DestinationWakeUp>

const WakeUp = v.union([LaneWakeUp, DestinationWakeUp])
export type WakeUp = LaneWakeUp | DestinationWakeUp

export const isForLane = (wakeUp: WakeUp): wakeUp is LaneWakeUp => 'lane' in wakeUp

export const encodeWakeUp = (wakeUp: WakeUp): string => JSON.stringify(wakeUp)

/** Undefined for a text that is not a wake-up. */
export const decodeWakeUp = (body: string): WakeUp | undefined => {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), WakeUp), body)
  return result.success ? result.output : undefined
}

const JobWakeUp = v.object({ job: v.string() })

/** `job`: the partition key of its item. */
export const encodeJobWakeUp = (job: string): string => JSON.stringify({ job })

/** The job of a wake-up; undefined for any other text. */
export const decodeJobWakeUp = (body: string): string | undefined => {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), JobWakeUp), body)
  return result.success ? result.output.job : undefined
}

/**
 * The deduplication id of the two wake-ups of a committed item. SQS drops a message whose id it has seen within 5
 * minutes, even if the first one was handled and deleted. So no other wake-ups share an id: `deduplicationId` includes
 * the reason with its time or entry.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html
 */
export const committedId = (lane: string, itemId: string): string => digest(JSON.stringify([lane, itemId]))

export const deduplicationId = (wakeUp: WakeUp): string => digest(encodeWakeUp(wakeUp))

/**
 * Bulkheads: the maximum number of concurrent attempts for each tenant (for events: each endpoint). A FIFO queue
 * delivers one message of a group at a time, so each owner of lanes has this number of groups, and each lane is in one
 * of them. This needs no request and no counter. `fast`: in the queue of quick destinations. In the slow queue, `slow`:
 * for destinations that are slow or have never responded; `released`: for lanes that waited for a destination which is
 * open again, limited by its rate of release.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagegroupid-property.html
 */
const GROUPS = { fast: 32, slow: 8, released: 64 }
export type Bulkhead = keyof typeof GROUPS

/** A digest, because the id of a group has at most 128 characters and must not reveal ids. */
export const messageGroupOf = (lane: string, bulkhead: Bulkhead): string =>
  digest(JSON.stringify([laneOwner(lane), bulkhead, shardOf(lane, GROUPS[bulkhead])]))

/**
 * The message group of a job: its tenant. The queues of jobs are standard queues, and groups make them fair ones: while
 * many jobs of one tenant wait, those of other tenants are delivered first. A FIFO queue would also limit each tenant,
 * but would block the group of a killed process for the visibility timeout.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
 */
export const jobGroupOf = (job: string): string => digest(jobKeyOf(job)?.tenant ?? job)
