/** The job that removes a tenant, run to its end, and what is left of the tenant. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { vi } from 'vitest'
import { jobItem } from '../../lib/jobs/job.ts'
import { runJob } from '../../lib/jobs/run.ts'
import { tenantRemovalJob } from '../../lib/removal/tenant-job.ts'
import { readItem } from '../../lib/store/item.ts'
import type { InProcessStage } from './stage/in-process-stage.ts'
import { itemsOf } from './table/items.ts'
import { settled, succeed } from './tenants.ts'

const now = Date.now.bind(Date)

/** Runs `act` so many minutes later. */
export const later = async <T>(minutes: number, act: () => Promise<T>): Promise<T> => {
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000)
  try {
    return await act()
  } finally {
    clock.mockRestore()
  }
}

export const removalOf = (tenant: string) => ({ tenant, type: 'tenant-removal', id: tenant }) as const

/** Runs the job of a removal as often as it is needed, each time when it is due. */
export const runRemoval = async (stage: InProcessStage, tenant: string, minutes = 10): Promise<void> => {
  await settled(stage)
  const job = removalOf(tenant)
  for (const end = minutes + 300; (await readItem(jobItem, job)) !== undefined; ) {
    if (minutes > end) throw new Error('the removal does not end')
    await later(minutes, () => stage.line.guard.run('removeOwned', () => runJob(job, tenantRemovalJob)))
    minutes += 10
  }
}

/** Removes a tenant, to the end of its job. */
export const removeTenant = async (
  stage: InProcessStage,
  tenantId: string,
  query: Record<string, string> = { silent: 'true' },
): Promise<void> => {
  await succeed(stage, 'deleteTenant', {}, { path: { tenantId }, query })
  await runRemoval(stage, tenantId)
}

type Items = Map<string, Record<string, AttributeValue>>

/** All items by their addresses. */
export const allItems = async (stage: InProcessStage): Promise<Items> =>
  new Map((await itemsOf(stage, '')).map((item) => [`${item.pk?.S} ${item.sk?.S}`, item]))
