/** Background jobs of AnonCreds, by type. */
// Must be first: Credo's AnonCreds copies the reference to the library when it is imported.
import './library.ts'

import type { JobHandler, JobType } from '../../../jobs/job.ts'
import { credentialDefinitionJob } from './definition-job.ts'
import { ledgerJob } from './ledger-job.ts'
import { withLibrary } from './library.ts'
import { registryWriteJob } from './registry-write-job.ts'
import { revocationListJob } from './revocation-lists.ts'
import { revocationRegistryJob } from './revocation-registries.ts'

/** A job that fails because the library cannot be loaded reports that. */
const withLibraryCheck = (handler: JobHandler): JobHandler => ({
  ...handler,
  run: (job) => withLibrary(() => handler.run(job)),
})

export const ANONCREDS_JOBS = {
  'credential-definition': withLibraryCheck(credentialDefinitionJob),
  'revocation-registry': withLibraryCheck(revocationRegistryJob),
  'revocation-list': withLibraryCheck(revocationListJob),
  'ledger-object': ledgerJob,
  'registry-write': registryWriteJob,
} satisfies Partial<Record<JobType, JobHandler>>
