/** What is done in the background, by the type of its job. */
import { AgentError } from '../../errors.ts'
import type { JobHandler, JobHandlers } from '../../jobs/handler.ts'
import { credentialDefinitionJob } from './definition-job.ts'
import { ledgerJob } from './ledger-job.ts'

const missing: JobHandler = {
  run: () => Promise.reject(new AgentError('internal', 'jobs of this type have no handler yet')),
  giveUp: async () => {},
}

export const JOB_HANDLERS: JobHandlers = {
  'credential-definition': credentialDefinitionJob,
  'revocation-registry': missing,
  'revocation-list': missing,
  'ledger-object': ledgerJob,
}
