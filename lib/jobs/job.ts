/** Jobs: work that a committed change asks for, and that outlives the process that does it. A job exists as long as its item. */
import { dueFields, dueFor } from '../outbox/due.ts'
import { wakeJobsNow } from '../outbox/queues.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { integer, isoTime, optional, text } from '../store/item-fields.ts'
import { jobAddress, jobKeyOf } from '../store/keys.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

const JOB_TYPES = [
  'credential-definition',
  'revocation-registry',
  'revocation-list',
  'ledger-object',
  'registry-write',
  'pickup-expiry',
] as const
export type JobType = (typeof JOB_TYPES)[number]

export interface JobKey {
  /** The agent that it is done for: a tenant's id or BASE_AGENT. */
  tenant: string
  type: JobType
  /** Without `|`. */
  id: string
}

/** Always in the index of what is due: `dueAt` (ms since the epoch) is when it is to run, or when the lease of who runs it is over. */
export const jobItem = defineItem('job', (key: JobKey) => jobAddress(key), {
  /** Runs that were begun, and those of them that failed or died; since the job was last put off. */
  attempts: integer(),
  failures: integer(),
  /** An id of who runs it. */
  lease: optional(text()),
  createdAt: isoTime(),
  ...dueFields,
})
export type JobItem = Stored<typeof jobItem>

/** What a handler is told of its job. */
export interface Job extends JobKey {
  /** ISO 8601, in UTC. */
  createdAt: string
}

/** Partition key of the job's item: its name in wake-ups. */
export const jobName = (key: JobKey): string => jobAddress(key).pk

/** The job of a name; undefined where it is none, or of a type that is not known. */
export const jobNamed = (name: string): JobKey | undefined => {
  const key = jobKeyOf(name)
  const type = JOB_TYPES.find((known) => known === key?.type)
  return key === undefined || type === undefined ? undefined : { ...key, type }
}

/** The attributes of a job that is due at `at`. */
export const dueJob = (key: JobKey, at: number) => dueFor(jobName(key), at)

const ENQUEUED = Symbol('jobs of this unit')

/**
 * Adds a job, which is woken after the commit, or by the next sweep. One of the same type and id must not be there: the unit would not commit
 * (`store.conflict`). `delay`: ms until it is to run for the first time; a delayed job is woken by the sweep.
 *
 * @example
 * enqueue(unit, { tenant: unit.tenant, type: 'credential-definition', id: record.id })
 */
export const enqueue = (unit: UnitOfWork, key: JobKey, delay = 0): void => {
  const now = Date.now()
  const createdAt = new Date(now).toISOString()
  unit.create(jobItem.encode({ ...key, attempts: 0, failures: 0, createdAt, ...dueJob(key, now + delay) }))
  if (delay > 0) return
  const names = unit.slot<string[]>(ENQUEUED, () => {
    const jobs: string[] = []
    unit.afterCommit(() => wakeJobsNow(jobs))
    return jobs
  })
  names.push(jobName(key))
}
