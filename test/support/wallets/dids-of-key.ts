/** DIDs of another agent that a tenant has stored under its key, without the messages that state them. */
import { currentUnit } from '../../../lib/store/transaction.ts'
import { peerDidOf, type RawKey } from '../../wallet/handshake-requests.ts'
import { inTenant } from '../anoncreds/world.ts'

/** `more`: tags of their records. */
export const storeDids = async (
  { tenantId }: { tenantId: string },
  key: RawKey,
  count: number,
  more: Record<string, true> = {},
): Promise<void> => {
  const { storeTheirDid } = await import('../../../lib/agent/dids/index.ts')
  for (let number = 0; number < count; number++) {
    const did = peerDidOf([key], `http://127.0.0.1:1/stored/${number}`)
    await inTenant(tenantId, async ({ context }) => {
      await storeTheirDid(context, { did }, key)
      const unit = currentUnit()
      for (const record of unit.writtenRecords()) await unit.update({ ...record, tags: { ...record.tags, ...more } })
    })
  }
}
