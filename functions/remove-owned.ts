/** Wake-ups of removals → what a deleted tenant or connection had. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { background } from '../lib/background.ts'
import type { JobHandlers, RemovalType } from '../lib/jobs/job.ts'
import { runBatch } from '../lib/jobs/run.ts'

const HANDLERS: JobHandlers<RemovalType> = {
  'tenant-removal': async () => (await import('../lib/removal/tenant-job.ts')).tenantRemovalJob,
  'connection-removal': async () => (await import('../lib/removal/connection-job.ts')).connectionRemovalJob,
}

/** Returns the wake-ups that SQS must deliver again. */
export const removeOwned = background(
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => ({
    batchItemFailures: (await runBatch(Records, HANDLERS)).map((itemIdentifier) => ({ itemIdentifier })),
  }),
)
