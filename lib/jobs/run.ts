/** Runs jobs under leases. A job's result and its end are one transaction. */

import { randomUUID } from 'node:crypto'
import type { SQSRecord } from 'aws-lambda'
import { AgentError, errorName, isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { measure } from '../metrics.ts'
import { decodeJobWakeUp, jobKeyOf, wakeJobLater } from '../outbox/wake-ups/index.ts'
import { isRetryable, translateFault } from '../store/faults.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import {
  type Done,
  dueJob,
  type JobHandler,
  type JobHandlers,
  type JobKey,
  jobItem,
  jobName,
  jobNamed,
  type PutOff,
} from './job.ts'
import { isLeased, type LeasedJob, leaseJob, releaseJob } from './lease.ts'

/** After this many failures a job is given up. Faults of AWS are none. */
const MAX_FAILURES = 3
/** A job that meets a conflict after this many attempts, about 16 hours, writes what can never be written. */
const MAX_ATTEMPTS = 40
/** Its process may also end without its doing: so many ends in a row count, over this time (ms). */
const MAX_ENDS = 5
const ENDS_MS = 60 * 60_000

/** Backoff in ms: doubles up to half an hour. */
const growingPause = ({ attempts }: { attempts: number }): number => Math.min(30 * 60_000, 5_000 * 2 ** (attempts - 1))

/** Backoff after a failure. After the second it is short, so that a job that can't succeed is soon given up. */
const pauseAfter = ({ failures, attempts }: { failures: number; attempts: number }): number =>
  failures < 2 ? growingPause({ attempts }) : 20_000

const INTERNAL = 'an internal error'
/** The process ended during the attempt: only its lease is left. */
const STOPPED = 'its process was stopped, or ran out of time'

/** Runs the jobs of wake-ups, one after the other. Returns the ids of the wake-ups to retry. */
export const runBatch = async (records: SQSRecord[], handlers: JobHandlers): Promise<string[]> => {
  const failed: string[] = []
  for (const { body, messageId } of records) {
    const name = decodeJobWakeUp(body)
    if (name === undefined || jobKeyOf(name) === undefined) {
      log('error', 'a message of the queue of jobs names none', { event: 'job.malformed', messageId })
      failed.push(messageId)
      continue
    }
    const key = jobNamed(name)
    if (key === undefined) {
      // A later release has made it, before a way back: its item stays, and that release will find it due.
      log('warn', 'a job of an unknown type was left', { event: 'job.unknown_type', type: jobKeyOf(name)?.type })
      continue
    }
    try {
      await runJob(key, await handlers[key.type]())
    } catch (error) {
      log('error', 'a job could not be run', { event: 'job.stuck', type: key.type, error: errorName(error) })
      failed.push(messageId)
    }
  }
  return failed
}

/**
 * Runs a job if it is due and not running. Throws `store.unavailable` and `store.conflict` if the result could not be
 * stored: then the job is due when its lease ends. Throws errors of giving up: that is retried with backoff.
 */
export const runJob = async (key: JobKey, handler: JobHandler): Promise<void> => {
  const job = await leaseJob(key, randomUUID(), Date.now())
  if (job === undefined) return
  const hasEnded = job.ends >= MAX_ENDS && Date.now() - job.since >= ENDS_MS
  const isOver = hasEnded || job.failures >= MAX_FAILURES
  const reason = isOver ? STOPPED : await attempt(job, handler).catch((error) => afterFailure(job, error))
  if (reason !== undefined) await giveUp(job, handler, reason)
}

/** Returns the reason for which the job is to be given up, if it is. */
const attempt = async (job: LeasedJob, handler: JobHandler): Promise<string | undefined> => {
  const result = await handler.run(job)
  if ('givenUp' in result) return result.givenUp
  await transaction(job.tenant, (unit) => end(unit, job, result))
  if ('later' in result) await wakeJobLater(jobName(job), result.later)
  return undefined
}

const end = async (unit: UnitOfWork, job: LeasedJob, result: Done | PutOff): Promise<void> => {
  await checkLease(unit, job)
  await result.commit?.(unit)
  if (!('later' in result)) return unit.delete(jobItem.addressOf(job), isLeased(job).equals)
  const { tenant, type, id, createdAt } = job
  const due = dueJob(job, Date.now() + result.later)
  unit.replace(jobItem.encode({ tenant, type, id, createdAt, attempts: 0, failures: 0, ...due }), isLeased(job).equals)
}

class LeaseLostError extends AgentError {
  constructor() {
    super('internal', 'another invocation has the job')
  }
}

/** Checked before any write, so that a lost lease is not mistaken for a conflict that a repetition could resolve. */
const checkLease = async (unit: UnitOfWork, job: LeasedJob): Promise<void> => {
  if ((await unit.load(jobItem, job))?.lease !== job.lease) throw new LeaseLostError()
}

/** The same after an error. */
const afterFailure = async (job: LeasedJob, error: unknown): Promise<string | undefined> => {
  if (error instanceof LeaseLostError) {
    log('warn', 'a job was taken over while it ran', { event: 'job.taken_over', type: job.type })
    return undefined
  }
  const isConflict = isAgentError(translateFault(error), 'store.conflict')
  const failures = job.failures + (isRetryable(error) ? 0 : 1)
  log(isOurs(error) ? 'error' : 'warn', 'an attempt at a job has failed', {
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
const isOurs = (error: unknown): boolean => !isAgentError(error) || error.code === 'internal'

/** Messages of the service's own errors may be read by callers; those of any other may hold anything. */
const reasonOf = (error: unknown): string => (isAgentError(error) && !isOurs(error) ? error.message : INTERNAL)

const giveUp = async (job: LeasedJob, handler: JobHandler, reason: string): Promise<void> => {
  const { again: later } = handler
  const commit = (unit: UnitOfWork) => handler.giveUp(unit, job, reason)
  try {
    await transaction(job.tenant, (unit) => end(unit, job, later === undefined ? { commit } : { commit, later }))
  } catch (error) {
    if (error instanceof LeaseLostError) return
    // After an outage it runs again, and finds its reason again.
    const failures = reason !== STOPPED && isRetryable(error) ? job.failures : MAX_FAILURES
    await releaseJob(job, { failures, at: Date.now() + growingPause(job) })
    throw error
  }
  measure(
    reason === INTERNAL || reason === STOPPED ? 'error' : 'warn',
    'a job was given up',
    { event: 'job.given_up', ...{ type: job.type, tenant: job.tenant, id: job.id, reason } },
    { values: { WorkGivenUp: 1 } },
  )
}
