/** The removal of a tenant, run by run. */
import { vi } from 'vitest'
import { runJob } from '../../lib/jobs/run.ts'
import { tenantRemovalJob } from '../../lib/removal/tenant-job.ts'
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

export const TEN_MINUTES = 10 * 60_000

/** Runs the job of a removal once, in ms from now. */
export const runOnce = async (at: InProcessStage, tenant: string, later = 0) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + later })
  const job = { tenant, type: 'tenant-removal', id: tenant } as const
  await at.line.guard.run('removeOwned', () => atHttps(() => runJob(job, tenantRemovalJob)))
  vi.useRealTimers()
}

/** Runs the job as often as needed, each time when it is due. */
export const run = async (at: InProcessStage, tenantId: string) => {
  for (let count = 1; count <= 4; count++) await runOnce(at, tenantId, count * TEN_MINUTES)
}
/** Deletes a tenant without telling its connections. */
export const remove = async (at: InProcessStage, tenantId: string, query: Record<string, string>) => {
  await settled(at)
  await succeed(at, 'deleteTenant', {}, { path: { tenantId }, query: { silent: 'true', ...query } })
  await settled(at)
}
/** What of a reply must stay the same. */
export const contentOf = ({ status, headers: { etag }, body }: Json) => ({ status, etag, body })
