/** What a type of job is: how it is done, and what becomes of it where that fails for good. */
import type { UnitOfWork } from '../store/unit-of-work.ts'
import type { Job, JobType } from './job.ts'

/** The job is done. */
export interface Done {
  /** Writes what came of it, in the transaction that removes the job. It is called again where that met a conflict. */
  commit(unit: UnitOfWork): Promise<unknown>
}

/** The job has to wait for something: it runs again in `later` ms, or up to a minute later, and its attempts are counted anew. */
export interface PutOff {
  later: number
  commit?(unit: UnitOfWork): Promise<unknown>
}

export interface JobHandler {
  /**
   * Does the work outside of any transaction. The process may be killed at any time and the job run again, also while a run whose lease is over
   * still goes on: only what `commit` writes counts. An error is a failed attempt; what can't succeed is `Done` with a `commit` that says so.
   */
  run(job: Job): Promise<Done | PutOff>
  /** Writes that the job has failed for good, in the transaction that removes it. `reason`: a sentence that its owner may read. */
  giveUp(unit: UnitOfWork, job: Job, reason: string): Promise<unknown>
}

export type JobHandlers = Readonly<Record<JobType, JobHandler>>
