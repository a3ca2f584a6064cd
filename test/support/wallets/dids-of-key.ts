/** DIDs of another agent that a tenant has stored under its key, without the messages that state them. */
import { peerDidOf, type RawKey } from '../../wallet/handshake-requests.ts'
import { inTenant } from '../anoncreds/world.ts'

export const storeDids = async ({ tenantId }: { tenantId: string }, key: RawKey, count: number): Promise<void> => {
  const { storeTheirDid } = await import('../../../lib/agent/dids/index.ts')
  for (let number = 0; number < count; number++) {
    const did = peerDidOf([key], `http://127.0.0.1:1/stored/${number}`)
    await inTenant(tenantId, ({ context }) => storeTheirDid(context, { did }, key))
  }
}
