/** Runs jobs under leases. A transaction writes a job's result and removes the job. */

import { randomUUID } from 'node:crypto'
import type { SQSRecord } from 'aws-lambda'
import { AgentError, errorName, isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { measure } from '../metrics.ts'
import { decodeJobWakeUp, jobKeyOf, REMOVALS, wakeJobLater } from '../outbox/wake-ups/index.ts'
import { isRetryable, toStoreError } from '../store/aws-errors.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { removeIf } from '../store/write.ts'
import { isRemoved } from '../tenants/tenants.ts'
import {
  type Done,
  dueJob,
  type JobHandler,
  type JobHandlers,
  type JobKey,
  type JobType,
  jobItem,
  jobName,
  jobNamed,
  type Postponed,
} from './job.ts'
import { isLeased, type LeasedJob, leaseJob, releaseJob } from './lease.ts'

/** After this many failures a job is given up. Errors of AWS do not count. */
const MAX_FAILURES = 3
/** A conflict after this many attempts (about 16 hours) is permanent. */
const MAX_ATTEMPTS = 40
/** A job is given up after this many successive deaths of its process, if they are spread over this time (ms). */
const MAX_DEATHS = 5
const DEATHS_MS = 60 * 60_000

/** Backoff in ms: doubles up to half an hour. */
const backoff = ({ attempts }: { attempts: number }): number => Math.min(30 * 60_000, 5_000 * 2 ** (attempts - 1))

/** Backoff after a failure. After the second it is short, so that a job that can't succeed is soon given up. */
const pauseAfter = ({ failures, attempts }: { failures: number; attempts: number }): number =>
  failures < 2 ? backoff({ attempts }) : 20_000

const INTERNAL = 'an internal error'
/** The process died during the attempt, and only its lease remains. */
const PROCESS_DIED = 'its process was stopped, or ran out of time'

/** Nothing else finds what the records had that were deleted before their tenant. */
const isRemoval = ({ type }: JobKey): boolean => REMOVALS.some((removal) => removal === type)

/** Runs the jobs of wake-ups that have a handler, one after the other. Returns the ids of the wake-ups to retry. */
export const runBatch = async (records: SQSRecord[], handlers: Partial<JobHandlers<JobType>>): Promise<string[]> => {
  const failed: string[] = []
  for (const { body, messageId } of records) {
    const name = decodeJobWakeUp(body)
    if (name === undefined || jobKeyOf(name) === undefined) {
      log('error', 'queue message does not name a job', { event: 'job.malformed', messageId })
      failed.push(messageId)
      continue
    }
    const key = jobNamed(name)
    const load = key && handlers[key.type]
    if (key === undefined || load === undefined) {
      // A newer release enqueued it before a rollback: its item stays due for that release.
      log('warn', 'job of an unknown type skipped', { event: 'job.unknown_type', type: jobKeyOf(name)?.type })
      continue
    }
    try {
      if (!isRemoval(key) && (await isRemoved(key.tenant))) await removeIf(jobItem.addressOf(key))
      else await runJob(key, await load())
    } catch (error) {
      log('error', 'job not run', { event: 'job.stuck', type: key.type, error: errorName(error) })
      failed.push(messageId)
    }
  }
  return failed
}

/**
 * Runs a job if it is due and not running. Throws `store.unavailable` and `store.conflict` if the result could not be
 * stored: then the job is due when its lease ends. Throws errors of `giveUp`, which is retried with backoff.
 */
export const runJob = async (key: JobKey, handler: JobHandler): Promise<void> => {
  const job = await leaseJob(key, randomUUID(), Date.now())
  if (job === undefined) return
  const hasEnded = job.ends >= MAX_DEATHS && Date.now() - job.since >= DEATHS_MS
  const isOver = hasEnded || job.failures >= MAX_FAILURES
  const reason = isOver ? PROCESS_DIED : await attempt(job, handler).catch((error) => afterFailure(job, error))
  if (reason !== undefined) await giveUp(job, handler, reason)
}

/** Returns the reason if the job must be given up. */
const attempt = async (job: LeasedJob, handler: JobHandler): Promise<string | undefined> => {
  const result = await handler.run(job)
  if ('givenUp' in result) return result.givenUp
  await transaction(job.tenant, (unit) => endJob(unit, job, result))
  if ('later' in result) await wakeJobLater(jobName(job), result.later)
  return undefined
}

const endJob = async (unit: UnitOfWork, job: LeasedJob, result: Done | Postponed): Promise<void> => {
  await checkLease(unit, job)
  await result.commit?.(unit)
  if (!('later' in result)) return unit.delete(jobItem.addressOf(job), isLeased(job).equals)
  const { tenant, type, id, createdAt, subject } = job
  const due = dueJob(job, Date.now() + result.later)
  const next = { tenant, type, id, createdAt, subject, attempts: 0, failures: 0, ...due }
  unit.replace(jobItem.encode(next), isLeased(job).equals)
}

class LeaseLostError extends AgentError {
  constructor() {
    super('internal', 'another invocation has the job')
  }
}

/** Checked before any write, so that a lost lease is not treated as a conflict that a retry could resolve. */
const checkLease = async (unit: UnitOfWork, job: LeasedJob): Promise<void> => {
  if ((await unit.load(jobItem, job))?.lease !== job.lease) throw new LeaseLostError()
}

/** Handles an error of an attempt. Returns the reason if the job must be given up. */
const afterFailure = async (job: LeasedJob, error: unknown): Promise<string | undefined> => {
  if (error instanceof LeaseLostError) {
    log('warn', 'job lease lost while it ran', { event: 'job.taken_over', type: job.type })
    return undefined
  }
  const isConflict = isAgentError(toStoreError(error), 'store.conflict')
  const failures = job.failures + (isRetryable(error) ? 0 : 1)
  log(isInternal(error) ? 'error' : 'warn', 'job attempt failed', {
    event: 'job.failed',
    ...{ type: job.type, tenant: job.tenant, id: job.id, failures, error: errorName(error) },
  })
  const isStuck = isConflict && job.attempts > MAX_ATTEMPTS
  if (isStuck || failures >= MAX_FAILURES) return isStuck ? INTERNAL : reasonOf(error)
  const pause = pauseAfter({ failures, attempts: job.attempts })
  if (await releaseJob(job, { failures, at: Date.now() + pause })) await wakeJobLater(jobName(job), pause)
  return undefined
}

/** Whether the error is internal. Errors caused by a caller or a registry have a code. */
const isInternal = (error: unknown): boolean => !isAgentError(error) || error.code === 'internal'

/** Messages of the service's own errors may be read by callers; those of any other may hold anything. */
const reasonOf = (error: unknown): string => (isAgentError(error) && !isInternal(error) ? error.message : INTERNAL)

const giveUp = async (job: LeasedJob, handler: JobHandler, reason: string): Promise<void> => {
  const { repeatAfter: later } = handler
  const commit = (unit: UnitOfWork) => handler.giveUp(unit, job, reason)
  try {
    await transaction(job.tenant, (unit) => endJob(unit, job, later === undefined ? { commit } : { commit, later }))
  } catch (error) {
    if (error instanceof LeaseLostError) return
    // After an outage the job runs again, with the same result.
    const failures = reason !== PROCESS_DIED && isRetryable(error) ? job.failures : MAX_FAILURES
    await releaseJob(job, { failures, at: Date.now() + backoff(job) })
    throw error
  }
  measure(
    reason === INTERNAL || reason === PROCESS_DIED ? 'error' : 'warn',
    'job given up',
    { event: 'job.given_up', ...{ type: job.type, tenant: job.tenant, id: job.id, reason } },
    { values: { WorkGivenUp: 1 } },
  )
}
