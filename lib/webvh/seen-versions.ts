/** How far each agent has seen what grows of others: whoever serves an older log hides a key that was replaced, and an older registry a revocation. */
import { AgentError } from '../errors.ts'
import { webvhSeenAddress } from '../store/anoncreds-keys.ts'
import { defineItem } from '../store/item.ts'
import { integer, text } from '../store/item-fields.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** It never expires, or an older log would be taken again: some 200 bytes for each DID and registry that the agent has read. */
const seenItem = defineItem(
  'webvh-seen',
  ({ tenant, subject }: { tenant: string; subject: string }) => webvhSeenAddress(tenant, subject),
  { entries: integer(), versionId: text() },
)

/**
 * Notes with the running unit of work the newest version of `subject`: a DID, whose log has entries that each name a hash over all before; or a
 * revocation registry, with its links to lists. `versions`: ids of all of them, the oldest first. Throws `request.invalid` where they do not go
 * on from those last seen.
 */
export const noteVersions = async (unit: UnitOfWork, subject: string, versions: readonly string[]): Promise<void> => {
  const key = { tenant: unit.tenant, subject }
  const seen = await unit.load(seenItem, key)
  const entries = versions.length
  const versionId = versions.at(-1)
  if (seen !== undefined && versions[seen.entries - 1] !== seen.versionId)
    throw new AgentError('request.invalid', 'it is older than the one last seen, or another')
  if (versionId === undefined) return
  if (seen === undefined) unit.create(seenItem.encode({ ...key, entries, versionId }))
  else if (entries > seen.entries)
    unit.replace(seenItem.encode({ ...key, entries, versionId }), seenItem.attributes({ versionId: seen.versionId }))
}
