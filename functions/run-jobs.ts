/** Wake-ups of jobs → keys of definitions, revocation registries, status lists, late verifications and issuance, expiry. */
import '../lib/agent/compose.ts'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { issuanceJob } from '../lib/agent/exchanges/credentials/index.ts'
import { presentationJob } from '../lib/agent/exchanges/proofs/index.ts'
import { ANONCREDS_JOBS } from '../lib/agent/formats/anoncreds/index.ts'
import { background } from '../lib/background.ts'
import { runBatch } from '../lib/jobs/run.ts'
import { pickupExpiryJob } from '../lib/pickup/expiry-job.ts'

const HANDLERS = {
  ...ANONCREDS_JOBS,
  presentation: presentationJob,
  issuance: issuanceJob,
  'pickup-expiry': pickupExpiryJob,
}

/** Returns the wake-ups that SQS has to deliver again. */
export const runJobs = background(
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => ({
    batchItemFailures: (await runBatch(Records, HANDLERS)).map((itemIdentifier) => ({ itemIdentifier })),
  }),
)
