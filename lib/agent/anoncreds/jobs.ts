/** Background jobs of AnonCreds, by type. */
// Must be first: Credo's AnonCreds copies the reference to the library when it is imported.
import './library.ts'

import type { JobHandlers } from '../../jobs/job.ts'
import { credentialDefinitionJob } from './definition-job.ts'
import { ledgerJob } from './ledger-job.ts'
import { registryWriteJob } from './registry-write-job.ts'
import { revocationListJob } from './revocation-lists.ts'
import { revocationRegistryJob } from './revocation-registries.ts'

export const ANONCREDS_JOBS = {
  'credential-definition': credentialDefinitionJob,
  'revocation-registry': revocationRegistryJob,
  'revocation-list': revocationListJob,
  'ledger-object': ledgerJob,
  'registry-write': registryWriteJob,
} satisfies Partial<JobHandlers>
