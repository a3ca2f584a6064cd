/** A removed tenant whose credentials stay verifiable: its removal at https, and what is served of it. */
import { runJob } from '../../lib/jobs/run.ts'
import { tenantRemovalJob } from '../../lib/removal/tenant-job.ts'
import { later, removalOf, runRemoval } from './removal.ts'
import { atHttps } from './stage/at-https.ts'
import type { InProcessStage, Json } from './stage/in-process-stage.ts'
import { itemsOf } from './table/items.ts'
import { settled, succeed } from './tenants.ts'

/** The tenant's items that do not expire, by kind. */
export const kindsOf = async (at: InProcessStage, tenantId: string): Promise<string[]> => {
  const lasting = (await itemsOf(at, `${tenantId}|`)).filter(({ expiresAt }) => !expiresAt)
  return [...new Set(lasting.map(({ pk, kind }) => (kind?.S === 'record' ? pk?.S?.split('|')[1] : kind?.S)))].map(
    String,
  )
}

/** Runs the job of a removal once, so many minutes later. */
export const runOnce = (at: InProcessStage, tenant: string, minutes = 0) =>
  later(minutes, () =>
    at.line.guard.run('removeOwned', () => atHttps(() => runJob(removalOf(tenant), tenantRemovalJob))),
  )

/** Runs the job to its end. */
export const run = (at: InProcessStage, tenantId: string) => atHttps(() => runRemoval(at, tenantId))

/** Deletes a tenant without telling its connections. */
export const remove = async (at: InProcessStage, tenantId: string, query: Record<string, string>) => {
  await settled(at)
  await succeed(at, 'deleteTenant', {}, { path: { tenantId }, query: { silent: 'true', ...query } })
  await settled(at)
}

/** What of a reply must stay the same. */
export const contentOf = ({ status, headers: { etag }, body }: Json) => ({ status, etag, body })
