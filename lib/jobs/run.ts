/** Runs jobs: each under a lease, and what came of it is one transaction with the end of the job. */
import { randomUUID } from 'node:crypto'
import type { SQSRecord } from 'aws-lambda'
import { AgentError, errorName, isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { wakeJobLater } from '../outbox/queues.ts'
import { decodeJobWakeUp } from '../outbox/wake-up.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import type { Done, JobHandler, JobHandlers, PutOff } from './handler.ts'
import { dueJob, type JobKey, jobItem, jobName, jobNamed } from './job.ts'
import { isLeased, type LeasedJob, leaseJob, releaseJob } from './lease.ts'

/** After so many failures a job is given up. */
const MAX_FAILURES = 3
/** It is also given up after so many attempts, about 16 hours: a conflict, or a table that does not answer, is no failure. */
const MAX_ATTEMPTS = 40

/** Ms until the next attempt: what is in the way may go on for long, so pauses double, up to half an hour. */
const growingPause = ({ attempts }: { attempts: number }): number => Math.min(30 * 60_000, 5_000 * 2 ** (attempts - 1))

/** The same where the last attempt has failed: the third failure comes soon. */
const pauseAfter = ({ failures, attempts }: { failures: number; attempts: number }): number =>
  failures < 2 ? growingPause({ attempts }) : 20_000

const INTERNAL = 'an internal error'
/** The process ended without a report of its attempt: only the lease that was left shows it. */
const STOPPED = 'its process was stopped, or ran out of time'

/** Runs the jobs of wake-ups, one after the other. Returns the ids of the wake-ups that are to come again. */
export const runBatch = async (records: SQSRecord[], handlers: JobHandlers): Promise<string[]> => {
  const failed: string[] = []
  for (const { body, messageId } of records) {
    const name = decodeJobWakeUp(body)
    const key = name === undefined ? undefined : jobNamed(name)
    if (key === undefined) {
      log('error', 'a message of the queue of jobs names none', { event: 'job.malformed', messageId })
      failed.push(messageId)
      continue
    }
    try {
      await runJob(key, handlers[key.type])
    } catch (error) {
      log('error', 'a job could not be run', { event: 'job.stuck', type: key.type, error: errorName(error) })
      failed.push(messageId)
    }
  }
  return failed
}

/**
 * Runs a job if it is due and nobody else runs it. Throws `store.unavailable` and `store.conflict` where the result of the attempt could not
 * be stored: the job is due when the lease is over. Throws what giving it up throws: that is tried again, with growing pauses.
 */
export const runJob = async (key: JobKey, handler: JobHandler): Promise<void> => {
  const job = await leaseJob(key, randomUUID(), Date.now())
  if (job === undefined) return
  if (job.failures >= MAX_FAILURES) return giveUp(job, handler, STOPPED)
  if (job.attempts > MAX_ATTEMPTS) return giveUp(job, handler, INTERNAL)
  try {
    const result = await handler.run(job)
    await transaction(job.tenant, (unit) => end(unit, job, result))
    if ('later' in result) await wakeJobLater(jobName(job), result.later)
  } catch (error) {
    await afterFailure(job, handler, error)
  }
}

const end = async (unit: UnitOfWork, job: LeasedJob, result: Done | PutOff): Promise<void> => {
  await checkLease(unit, job)
  await result.commit?.(unit)
  if (!('later' in result)) return unit.delete(jobItem.addressOf(job), isLeased(job).equals)
  const { tenant, type, id, createdAt } = job
  const due = dueJob(job, Date.now() + result.later)
  unit.replace(jobItem.encode({ tenant, type, id, createdAt, attempts: 0, failures: 0, ...due }), isLeased(job).equals)
}

class LeaseLost extends AgentError {
  constructor() {
    super('internal', 'another invocation has the job')
  }
}

/** Before anything is written, so that a lease that was lost is not taken for a conflict that a repetition could settle. */
const checkLease = async (unit: UnitOfWork, job: LeasedJob): Promise<void> => {
  if ((await unit.load(jobItem, job))?.lease !== job.lease) throw new LeaseLost()
}

const afterFailure = async (job: LeasedJob, handler: JobHandler, error: unknown): Promise<void> => {
  if (error instanceof LeaseLost) {
    log('warn', 'a job was taken over while it ran', { event: 'job.taken_over', type: job.type })
    return
  }
  const transient = isAgentError(error, 'store.conflict') || isAgentError(error, 'store.unavailable')
  const failures = job.failures + (transient ? 0 : 1)
  log(isOurs(error) ? 'error' : 'warn', 'an attempt at a job has failed', {
    event: 'job.failed',
    ...{ type: job.type, tenant: job.tenant, id: job.id, failures, error: errorName(error) },
  })
  if (failures >= MAX_FAILURES) return giveUp(job, handler, reasonOf(error))
  const pause = pauseAfter({ failures, attempts: job.attempts })
  if (await releaseJob(job, { failures, at: Date.now() + pause })) await wakeJobLater(jobName(job), pause)
}

/** Whether somebody has to look for a fault of the service: what a caller or a registry did wrong has a code. */
const isOurs = (error: unknown): boolean => !isAgentError(error) || error.code === 'internal'

/** Messages of the service's own errors may be read by callers; those of any other may hold anything. */
const reasonOf = (error: unknown): string => (isAgentError(error) && !isOurs(error) ? error.message : INTERNAL)

const giveUp = async (job: LeasedJob, handler: JobHandler, reason: string): Promise<void> => {
  log(reason === INTERNAL || reason === STOPPED ? 'error' : 'warn', 'a job was given up', {
    event: 'job.given_up',
    ...{ type: job.type, tenant: job.tenant, id: job.id, reason },
  })
  try {
    await transaction(job.tenant, (unit) => end(unit, job, { commit: () => handler.giveUp(unit, job, reason) }))
  } catch (error) {
    if (error instanceof LeaseLost) return
    await releaseJob(job, { failures: MAX_FAILURES, at: Date.now() + growingPause(job) })
    throw error
  }
}
