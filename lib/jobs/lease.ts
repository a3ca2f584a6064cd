/** The lease of a job: one invocation at a time runs it, and gives it back where the attempt came to nothing. */
import { settings } from '../settings.ts'
import type { Condition } from '../store/conditions.ts'
import { readItem } from '../store/item.ts'
import { updateIf, updateOrFind } from '../store/write.ts'
import { dueJob, type Job, type JobItem, type JobKey, jobItem } from './job.ts'

/** Longer than the function may run (60 s), shorter than the visibility timeout of its queue (360 s). */
const LEASE_MS = 90_000

/** A job that this invocation alone may end. */
export interface LeasedJob extends Job {
  lease: string
  /** This attempt included. */
  attempts: number
  /** Attempts that failed, or whose process died. */
  failures: number
}

/** The time has come, or the lease is of a process that is known to be gone (ms since the epoch). */
const isDue = ({ dueAt = 0, lease }: JobItem, now: number): boolean =>
  dueAt <= now || (lease !== undefined && dueAt < (settings().LEASES_VOID_BEFORE ?? 0) + LEASE_MS)

/** The job as it was read. */
const asRead = ({ dueAt, lease }: JobItem): Condition => ({
  equals: jobItem.attributes({ dueAt, lease }),
  ...(lease === undefined && { absent: ['lease'] }),
})

/**
 * Leases a job that is due. Undefined: there is none, its time has not come, or somebody runs it. One that is due and has a lease is one
 * whose process has died. `lease`: an id that nobody else uses. Throws `store.unavailable`, `store.conflict`.
 */
export const leaseJob = async (key: JobKey, lease: string, now: number): Promise<LeasedJob | undefined> => {
  const found = await readItem(jobItem, key)
  if (found === undefined || !isDue(found, now)) return undefined
  const attempts = found.attempts + 1
  const failures = found.failures + (found.lease === undefined ? 0 : 1)
  const set = jobItem.attributes({ attempts, failures, lease, ...dueJob(key, now + LEASE_MS) })
  const updated = await updateOrFind(jobItem.addressOf(key), { set }, asRead(found))
  // The SDK repeats a request whose answer was lost: then the lease that is in the way is this one.
  const taken = updated.written !== undefined || updated.found?.lease?.S === lease
  return taken ? { ...key, createdAt: found.createdAt, lease, attempts, failures } : undefined
}

/** What an attempt that came to nothing leaves behind. */
export interface Ended {
  failures: number
  /** When the next attempt is due, in ms since the epoch. */
  at: number
}

/** Gives the lease back. False where another invocation has it. Throws `store.unavailable`, `store.conflict`. */
export const releaseJob = async (job: LeasedJob, { failures, at }: Ended): Promise<boolean> => {
  const change = { set: jobItem.attributes({ failures, ...dueJob(job, at) }), remove: ['lease'] }
  return (await updateIf(jobItem.addressOf(job), change, isLeased(job))) !== undefined
}

/** What must hold of the item for whoever has this lease to end the job. */
export const isLeased = ({ lease }: LeasedJob): Condition & { equals: NonNullable<Condition['equals']> } => ({
  equals: jobItem.attributes({ lease }),
})
