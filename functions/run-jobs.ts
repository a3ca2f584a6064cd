/** Wake-ups of jobs → keys of definitions, revocation registries, status lists, late verifications and issuance, expiry, revocations. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { background } from '../lib/background.ts'
import type { JobHandlers, JobType, RemovalType } from '../lib/jobs/job.ts'
import { runBatch } from '../lib/jobs/run.ts'

const ofAgent = async () => (await import('../lib/agent/jobs.ts')).AGENT_JOBS

const HANDLERS: JobHandlers<Exclude<JobType, RemovalType>> = {
  'credential-definition': async () => (await ofAgent())['credential-definition'],
  'revocation-registry': async () => (await ofAgent())['revocation-registry'],
  'revocation-list': async () => (await ofAgent())['revocation-list'],
  'ledger-object': async () => (await ofAgent())['ledger-object'],
  'registry-write': async () => (await ofAgent())['registry-write'],
  presentation: async () => (await ofAgent()).presentation,
  issuance: async () => (await ofAgent()).issuance,
  'pickup-expiry': async () => (await import('../lib/pickup/expiry-job.ts')).pickupExpiryJob,
  'certificate-expiry': async () => (await import('../lib/x509/expiry.ts')).certificateExpiryJob,
  'status-revocation': async () => (await import('../lib/openid4vci/revocation-job.ts')).statusRevocationJob,
}

/** Returns the wake-ups that SQS must deliver again. */
export const runJobs = background(
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => ({
    batchItemFailures: (await runBatch(Records, HANDLERS)).map((itemIdentifier) => ({ itemIdentifier })),
  }),
)
