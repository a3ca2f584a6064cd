/** Adds a job to a unit of work, so that the job is committed together with the change that needs it, or not at all. */
import { wakeJobsNow } from '../outbox/queues.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { dueJob, type JobKey, jobItem, jobName } from './job-item.ts'

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
