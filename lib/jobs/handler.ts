/** The interface of a job type: the work, and what to do if it fails for good. */
import type { UnitOfWork } from '../store/unit-of-work.ts'
import type { Job, JobType } from './job.ts'

/** The job is done. */
export interface Done {
  /** Writes the result in the transaction that removes the job. Called again after a conflict. */
  commit(unit: UnitOfWork): Promise<unknown>
}

/** The job has to wait: it runs again in `later` ms, or up to a minute later, and its attempts are counted anew. */
export interface PutOff {
  later: number
  commit?(unit: UnitOfWork): Promise<unknown>
}

export interface JobHandler {
  /**
   * Does the work outside of any transaction. The process may be killed at any time and the job run again, even while a run with an expired lease
   * continues: only the writes of `commit` count. An error is a failed attempt. Work that can never succeed returns `Done` with a `commit` that
   * records the failure.
   */
  run(job: Job): Promise<Done | PutOff>
  /** Records the final failure, in the transaction that removes the job. `reason`: a sentence that the owner may read. */
  giveUp(unit: UnitOfWork, job: Job, reason: string): Promise<unknown>
}

export type JobHandlers = Readonly<Record<JobType, JobHandler>>
