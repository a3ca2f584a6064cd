/** The lease of a job: one invocation at a time runs it, and releases it after a failed attempt. */
import { settings } from '../settings.ts'
import type { Condition } from '../store/conditions.ts'
import { readItem } from '../store/item.ts'
import { updateIf, updateOrFind } from '../store/write.ts'
import { dueJob, type Job, type JobItem, type JobKey, jobItem } from './job.ts'

/** Longer than the function may run (60 s). In ms. */
const LEASE_MS = 90_000
const MAX_LEASE_MS = 30 * 60_000

/** After each process that died with the job, the lease is twice as long. */
const leaseAfter = (ends = 0): number => Math.min(MAX_LEASE_MS, LEASE_MS * 2 ** ends)

/** A job that this invocation has leased. */
export interface LeasedJob extends Job {
  lease: string
  /** Including this one. */
  attempts: number
  failures: number
  /** Successive runs before this one whose process died, and when the first of them began (ms since the epoch). */
  ends: number
  since: number
}

/** Whether the job is due, or leased by a process that is known to have ended. `now` in ms since the epoch. */
const isDue = ({ dueAt = 0, lease, ends }: JobItem, now: number): boolean =>
  dueAt <= now || (lease !== undefined && dueAt < (settings().LEASES_VOID_BEFORE ?? 0) + leaseAfter(ends))

/** The condition that no other invocation has leased the job since it was read. */
const unchangedSince = ({ attempts, lease }: JobItem, now: number): Condition =>
  lease === undefined
    ? { equals: jobItem.attributes({ attempts }), atMost: jobItem.attributes({ dueAt: now }) }
    : { equals: jobItem.attributes({ lease }) }

/**
 * Leases a due job. Undefined if it does not exist, is not due, or another invocation runs it. If a due job has a
 * lease, the process of that lease has died. `lease`: a unique id. Throws `store.unavailable`, `store.conflict`.
 */
export const leaseJob = async (key: JobKey, lease: string, now: number): Promise<LeasedJob | undefined> => {
  const job = await readItem(jobItem, key)
  if (job === undefined || !isDue(job, now)) return undefined
  const attempts = job.attempts + 1
  const { failures, createdAt, subject } = job
  const ends = job.lease === undefined ? 0 : (job.ends ?? 0) + 1
  const counted = { attempts, ends, since: ends === 0 ? now : (job.since ?? now) }
  const set = jobItem.attributes({ ...counted, lease, ...dueJob(key, now + leaseAfter(ends)) })
  const updated = await updateOrFind(jobItem.addressOf(key), { set }, unchangedSince(job, now))
  // The SDK repeats a request after a lost response. Then the existing lease is this one.
  const isLeased = updated.written !== undefined || updated.existing?.lease?.S === lease
  return isLeased ? { ...key, createdAt, subject, lease, failures, ...counted } : undefined
}

/** The state of a job after a failed attempt. */
interface FailedRun {
  failures: number
  /** When the next attempt is due, in ms since the epoch. */
  at: number
}

/** Releases the lease. False if another invocation has leased the job. Throws `store.unavailable`, `store.conflict`. */
export const releaseJob = async (job: LeasedJob, { failures, at }: FailedRun): Promise<boolean> => {
  const change = { set: jobItem.attributes({ failures, ...dueJob(job, at) }), remove: ['lease'] }
  return (await updateIf(jobItem.addressOf(job), change, isLeased(job))) !== undefined
}

/** The condition that the job still has this lease. */
export const isLeased = ({ lease }: LeasedJob): Condition & { equals: NonNullable<Condition['equals']> } => ({
  equals: jobItem.attributes({ lease }),
})
