/** Handlers of the jobs that need Credo. */
import './compose.ts'
import type { JobHandler, JobType } from '../jobs/job.ts'
import { issuanceJob } from './exchanges/credentials/index.ts'
import { presentationJob } from './exchanges/proofs/index.ts'
import { ANONCREDS_JOBS } from './formats/anoncreds/index.ts'

export const AGENT_JOBS = {
  ...ANONCREDS_JOBS,
  presentation: presentationJob,
  issuance: issuanceJob,
} satisfies Partial<Record<JobType, JobHandler>>
