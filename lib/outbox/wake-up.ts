/** Wake-ups: the small messages in SQS that say where to look for work. The table is the truth; a wake-up may come twice, late or never. */
import * as v from 'valibot'
import { digest, jobKeyOf, laneOwner, shardOf } from '../store/keys.ts'

const Time = v.pipe(v.number(), v.integer(), v.minValue(0))

/** An item that was the first waiting one of its lane when it was committed, and its destination. */
const FirstItem = v.object({ id: v.string(), destination: v.string() })
export type FirstItem = v.InferOutput<typeof FirstItem>

const LaneWakeUp = v.object({
  lane: v.string(),
  /**
   * `committed`: an item was added. `due`: the time of the lane's entry in the index of what is due has come; only the wake-up with that
   * very time goes on. `released`, `probe` and `expired` are for a lane in a destination's waiting list, and name its entry there.
   */
  reason: v.variant('kind', [
    v.object({ kind: v.literal('committed'), first: v.optional(FirstItem) }),
    v.object({ kind: v.literal('due'), at: Time }),
    v.object({ kind: v.picklist(['released', 'expired']), waiting: v.string() }),
    // With the time that it was made for: the only lane in a list probes again and again, with the same entry.
    v.object({ kind: v.literal('probe'), waiting: v.string(), destination: v.string(), at: Time }),
  ]),
  /** Turns of this lane that have woken their successor by SQS, one after the other. */
  hops: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
})
export type LaneWakeUp = v.InferOutput<typeof LaneWakeUp>

/** The time of a destination's entry in the index of what is due has come: it is probed, or releases lanes that wait for it. */
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
 * Deduplication ids. SQS drops a message whose id it has seen within 5 minutes, also when the first one was deleted long ago. So only the
 * two wake-ups of one committed item share an id; that of any other names its reason with the time or entry it was made for.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html
 */
export const committedId = (lane: string, itemId: string): string => digest(JSON.stringify([lane, itemId]))

export const deduplicationId = (wakeUp: WakeUp): string => digest(encodeWakeUp(wakeUp))

/**
 * The bulkhead: attempts at once for each tenant (of an organization: for each endpoint), whatever their receivers answer. A FIFO queue
 * gives out one message of a group at a time, so each owner of lanes has so many groups, and each lane is in one of them. That costs no
 * request, and there is no item to count in. `fast`: in the queue of quick destinations. In the slow queue, `slow`: at destinations that are
 * slow, or were never seen to answer; `released`: what a destination that is open again has kept waiting, which its rate of release bounds.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagegroupid-property.html
 */
const GROUPS = { fast: 32, slow: 8, released: 64 }
export type Use = keyof typeof GROUPS

/** SQS takes 128 characters for the id of a group; a digest is shorter, and shows nobody's ids. */
export const groupOf = (lane: string, use: Use): string =>
  digest(JSON.stringify([laneOwner(lane), use, shardOf(lane, GROUPS[use])]))

/**
 * The tenant whose job it is. The queue of jobs is a standard one, which groups make a fair queue: while one tenant's jobs wait, it hands out those
 * of others first. A FIFO queue would bound each tenant too, but would hold a killed process's group back for the visibility timeout.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
 */
export const jobGroupOf = (job: string): string => digest(jobKeyOf(job)?.tenant ?? job)
