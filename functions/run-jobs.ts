/** Wake-ups of jobs → what is done in the background: keys of credential definitions, revocation registries, status lists. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { JOB_HANDLERS } from '../lib/agent/anoncreds/jobs.ts'
import { runBatch } from '../lib/jobs/run.ts'

/** Reports the wake-ups that are to come again. */
export const runJobs = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => ({
  batchItemFailures: (await runBatch(Records, JOB_HANDLERS)).map((itemIdentifier) => ({ itemIdentifier })),
})
