/**
 * Protection against rollback: the newest version that each agent has seen of others' logs and registries. An older log would hide a replaced key,
 * and an older registry a revocation.
 */
import { AgentError } from '../errors.ts'
import { handshakePartExpiry, mayOutlive } from '../records/connection.ts'
import { webvhSeenAddress } from '../store/anoncreds-keys.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { integer, optional, text } from '../store/item-fields.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** About 200 bytes for each DID and registry that the agent has read. */
const seenItem = defineItem(
  'webvh-seen',
  ({ tenant, subject }: { tenant: string; subject: string }) => webvhSeenAddress(tenant, subject),
  {
    entries: integer(),
    versionId: text(),
    /** Only of a DID with which nothing but handshakes was begun: otherwise an older log would be accepted again. */
    expiresAt: optional(integer()),
  },
)
type Seen = Stored<typeof seenItem>

/** What is stored of a subject, and what the running unit of work makes of it. */
interface Held {
  stored: Seen | undefined
  current: Seen | undefined
}

/** State of a unit of work. `expires`: what it sees expires, unless it is known for good. */
const stateOf = (unit: UnitOfWork) =>
  unit.slot(seenItem, () => ({ expires: false, held: new Map<string, Promise<Held>>() }))

const hold = (unit: UnitOfWork, subject: string): Promise<Held> => {
  const { held } = stateOf(unit)
  const known = held.get(subject) ?? read(unit, subject)
  held.set(subject, known)
  return known
}

const read = async (unit: UnitOfWork, subject: string): Promise<Held> => {
  const key = { tenant: unit.tenant, subject }
  const stored = await unit.load(seenItem, key)
  const held: Held = { stored, current: stored }
  unit.beforeCommit(() => {
    const { current } = held
    if (current === undefined || current === stored) return
    if (stored === undefined) unit.create(seenItem.encode({ ...key, ...current }))
    else unit.replace(seenItem.encode({ ...key, ...current }), seenItem.attributes(stored))
  })
  return held
}

/**
 * Records the newest version of `subject` in the running unit of work: a DID, whose log entries contain a hash of all before, or a revocation
 * registry, with its links to lists. `versions`: ids of all versions, oldest first. Throws `request.invalid` if they do not continue those last seen.
 */
export const assertNoRollback = async (
  unit: UnitOfWork,
  subject: string,
  versions: readonly string[],
): Promise<void> => {
  const held = await hold(unit, subject)
  const seen = held.current
  const entries = versions.length
  const versionId = versions.at(-1)
  if (seen !== undefined && versions[seen.entries - 1] !== seen.versionId)
    throw new AgentError('request.invalid', 'it is older than the one last seen, or another')
  if (versionId === undefined) return
  const expiresAt = expiryOf(seen, stateOf(unit).expires)
  if (entries !== seen?.entries || expiresAt !== seen.expiresAt) held.current = { entries, versionId, expiresAt }
}

/** An expiry is set anew at most once a day, because handshakes of the same DID at the same time would conflict. */
const expiryOf = (seen: Seen | undefined, expires: boolean): number | undefined => {
  if (!expires || (seen !== undefined && seen.expiresAt === undefined)) return undefined
  const now = new Date()
  return seen?.expiresAt !== undefined && mayOutlive(seen.expiresAt, now) ? seen.expiresAt : handshakePartExpiry(now)
}

/** Lets everything expire that the running unit of work sees and that is not known for good: it handles a handshake, which may come to nothing. */
export const expireVersions = (unit: UnitOfWork): void => {
  stateOf(unit).expires = true
}

/** Removes the expiry, after the handshake with a DID was completed. */
export const keepVersions = async (unit: UnitOfWork, did: string): Promise<void> => {
  const held = await hold(unit, did)
  if (held.current?.expiresAt !== undefined) held.current = { ...held.current, expiresAt: undefined }
}
