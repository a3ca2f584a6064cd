/** What a removed tenant leaves in the table. */
import { afterEach, expect, test, vi } from 'vitest'
import { runJob } from '../../lib/jobs/run.ts'
import { tenantRemovalJob } from '../../lib/removal/tenant-job.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { itemsOf } from '../support/table/items.ts'
import { inviteToConnect, settled, succeed } from '../support/tenants.ts'

const { stage, caller, wallet } = await useTenantAndWallet()
const { tenantId } = caller
afterEach(() => void vi.useRealTimers())

/** The tenant's items that do not expire, by kind. */
const lasting = async (): Promise<string[]> =>
  (await itemsOf(stage, `${tenantId}|`)).filter(({ expiresAt }) => !expiresAt).map(({ pk, sk }) => `${pk?.S} ${sk?.S}`)

/** Runs the job of a removal as often as it is needed, each time when it is due. */
const runRemoval = async () => {
  await settled(stage)
  const job = { tenant: tenantId, type: 'tenant-removal', id: tenantId } as const
  for (let run = 1; run < 6; run++) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + run * 10 * 60_000 })
    await stage.line.guard.run('removeOwned', () => runJob(job, tenantRemovalJob))
    vi.useRealTimers()
  }
}

test('leaves only what expires', async () => {
  const { invitationUrl } = await inviteToConnect(stage, caller)
  await wallet.connect(invitationUrl)
  await settled(stage)
  expect((await lasting()).length).toBeGreaterThan(10)
  await succeed(stage, 'deleteTenant', {}, { path: { tenantId } })
  await runRemoval()
  expect(await lasting()).toEqual([])
})
