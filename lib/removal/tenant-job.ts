/** The job that removes what belonged to a deleted tenant. */
import type { JobHandler } from '../jobs/job.ts'

export const tenantRemovalJob: JobHandler = {
  run: async () => ({ commit: async () => undefined }),
  giveUp: async () => undefined,
  repeatAfter: 60 * 60_000,
}
