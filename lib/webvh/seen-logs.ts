/** How far each agent has seen the logs of others' did:webvh: whoever serves an older log hides a key that was replaced. */
import { AgentError } from '../errors.ts'
import { webvhSeenAddress } from '../store/anoncreds-keys.ts'
import { defineItem } from '../store/item.ts'
import { integer, text } from '../store/item-fields.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

const seenItem = defineItem(
  'webvh-seen',
  ({ tenant, did }: { tenant: string; did: string }) => webvhSeenAddress(tenant, did),
  { entries: integer(), versionId: text() },
)

/**
 * Notes with the running unit of work the log's newest version. `versionIds`: of its entries, which each name a hash over all before.
 * Throws `request.invalid` for a log that does not go on from the one last seen.
 */
export const noteLog = async (unit: UnitOfWork, did: string, versionIds: readonly string[]): Promise<void> => {
  const key = { tenant: unit.tenant, did }
  const seen = await unit.load(seenItem, key)
  const entries = versionIds.length
  const versionId = versionIds.at(-1) ?? ''
  if (seen === undefined) return unit.create(seenItem.encode({ ...key, entries, versionId }))
  if (versionIds[seen.entries - 1] !== seen.versionId)
    throw new AgentError('request.invalid', 'the log of the DID is older than the one last seen, or another')
  if (entries > seen.entries)
    unit.replace(seenItem.encode({ ...key, entries, versionId }), seenItem.attributes({ versionId: seen.versionId }))
}
