/** Jobs: work after a committed change, which survives the process that does it. A job exists as long as its item. */

import * as v from 'valibot'
import { jobAddress, jobKeyOf, REMOVALS, wakeJobsNow } from '../outbox/wake-ups/index.ts'
import { dueFields, dueFor } from '../store/due.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { integer, isoTime, optional, packed, text } from '../store/item-fields.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

const JOB_TYPES = [
  'credential-definition',
  'revocation-registry',
  'revocation-list',
  'ledger-object',
  'registry-write',
  'presentation',
  'issuance',
  'pickup-expiry',
  'certificate-expiry',
  'status-revocation',
  ...REMOVALS,
] as const
export type JobType = (typeof JOB_TYPES)[number]
export type RemovalType = (typeof REMOVALS)[number]

export interface JobKey {
  /** The job's agent: a tenant's id or BASE_AGENT. */
  tenant: string
  type: JobType
  /** Without `|`. */
  id: string
}

/** The partition of an owner's job. Others end by themselves when their subject is missing. */
const partitionOf =
  (type: JobType) =>
  ({ tenant, id }: Pick<JobKey, 'tenant' | 'id'>): string[] => [jobAddress({ tenant, type, id }).pk]

const Subject = v.record(v.string(), v.unknown())
export type Subject = v.InferOutput<typeof Subject>

/**
 * Always in the index `due`. `dueAt` (ms since the epoch) is the time of the next run, or the end of the current lease.
 */
export const jobItem = defineItem(
  'job',
  (key: JobKey) => jobAddress(key),
  {
    /** Started runs, and failed ones, since the job was last postponed. */
    attempts: integer(),
    failures: integer(),
    /** Successive runs whose process died, and when the first of them began (ms since the epoch). */
    ends: optional(integer()),
    since: optional(integer()),
    /** Id of the running invocation. */
    lease: optional(text()),
    createdAt: isoTime(),
    /** What the job must know of a record that was deleted. */
    subject: optional(packed(Subject)),
    ...dueFields,
  },
  {
    ConnectionRecord: partitionOf('pickup-expiry'),
    ProofRecord: partitionOf('presentation'),
    CredentialRecord: partitionOf('issuance'),
    CredentialDefinitionRecord: partitionOf('credential-definition'),
    X509CertificateRecord: partitionOf('certificate-expiry'),
  },
)
export type JobItem = Stored<typeof jobItem>

/** The job that a handler gets. */
export interface Job extends JobKey {
  /** ISO 8601, in UTC. */
  createdAt: string
  subject?: Subject | undefined
}

/** The job is done. */
export interface Done {
  /** Writes the result in the transaction that removes the job. Called again after a conflict. */
  commit(unit: UnitOfWork): Promise<unknown>
}

/** The job must wait: it runs again in `later` ms, or up to a minute later, and its attempts start at 0. */
export interface Postponed {
  later: number
  commit?(unit: UnitOfWork): Promise<unknown>
}

/** Work that can never succeed: the job is given up, for a reason that its owner may read. */
export interface GivenUp {
  givenUp: string
}

export interface JobHandler {
  /**
   * Does the work outside of any transaction. The process may be killed at any time and the job run again, even while a
   * run with an expired lease continues: only the writes of `commit` count. An error is a failed attempt.
   */
  run(job: Job): Promise<Done | Postponed | GivenUp>
  /**
   * Records the final failure, in the transaction that removes the job. `reason`: a sentence that the owner may read.
   */
  giveUp(unit: UnitOfWork, job: Job, reason: string): Promise<unknown>
  /** For a job that must never end by failing: it runs again this long (ms) after it was given up. */
  repeatAfter?: number
}

/** Loads the handler of each type of a function with its first job, so that only jobs that need Credo load it. */
export type JobHandlers<T extends JobType> = Readonly<Record<T, () => Promise<JobHandler>>>

/** Partition key of the job's item: its name in wake-ups. */
export const jobName = (key: JobKey): string => jobAddress(key).pk

/** Parses a name; undefined for other keys and unknown types. */
export const jobNamed = (name: string): JobKey | undefined => {
  const key = jobKeyOf(name)
  const type = JOB_TYPES.find((known) => known === key?.type)
  return key === undefined || type === undefined ? undefined : { ...key, type }
}

/** The attributes of a job that is due at `at`. */
export const dueJob = (key: JobKey, at: number) => dueFor(jobName(key), at)

const ENQUEUED = Symbol('jobs of this unit')

/**
 * Adds a job, which is woken after the commit, or by the next sweep. If a job with this type and id exists, the unit
 * does not commit (`store.conflict`). `delay`: ms until the first run; the sweep wakes a delayed job.
 * `subject`: passed to each run.
 *
 * @example
 * enqueue(unit, { tenant: unit.tenant, type: 'credential-definition', id: record.id })
 */
export const enqueue = (unit: UnitOfWork, key: JobKey, delay = 0, subject?: Subject): void => {
  const now = Date.now()
  const createdAt = new Date(now).toISOString()
  unit.create(jobItem.encode({ ...key, attempts: 0, failures: 0, createdAt, subject, ...dueJob(key, now + delay) }))
  if (delay > 0) return
  const names = unit.moduleState<string[]>(ENQUEUED, () => {
    const jobs: string[] = []
    unit.afterCommit(() => wakeJobsNow(jobs))
    return jobs
  })
  names.push(jobName(key))
}
