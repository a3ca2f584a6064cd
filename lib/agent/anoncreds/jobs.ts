/** What is done in the background, by the type of its job. */
import { AgentError } from '../../errors.ts'
import type { JobHandler, JobHandlers } from '../../jobs/handler.ts'
import { revocationListJob } from './revocation-lists.ts'
import { revocationRegistryJob } from './revocation-registries.ts'

const missing: JobHandler = {
  run: () => Promise.reject(new AgentError('internal', 'jobs of this type have no handler yet')),
  giveUp: async () => {},
}

export const JOB_HANDLERS: JobHandlers = {
  'credential-definition': missing,
  'revocation-registry': revocationRegistryJob,
  'revocation-list': revocationListJob,
  'ledger-object': missing,
}
