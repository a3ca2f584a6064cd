/**
 * Protection against rollback: the newest version that each agent has seen of others' logs and registries. An older log would hide a replaced key,
 * and an older registry a revocation.
 */
import { AgentError } from '../errors.ts'
import { webvhSeenAddress } from '../store/anoncreds-keys.ts'
import { defineItem } from '../store/item.ts'
import { integer, text } from '../store/item-fields.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** It never expires, because an older log would be accepted again: about 200 bytes for each DID and registry that the agent has read. */
const seenItem = defineItem(
  'webvh-seen',
  ({ tenant, subject }: { tenant: string; subject: string }) => webvhSeenAddress(tenant, subject),
  { entries: integer(), versionId: text() },
)

/**
 * Records the newest version of `subject` in the running unit of work: a DID, whose log entries contain a hash of all before, or a revocation
 * registry, with its links to lists. `versions`: ids of all versions, oldest first. Throws `request.invalid` if they do not continue those last seen.
 */
export const recordVersions = async (unit: UnitOfWork, subject: string, versions: readonly string[]): Promise<void> => {
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
