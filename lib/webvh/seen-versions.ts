/**
 * Protection against rollback: the newest version that each agent has seen of third-party logs and registries. An older
 * log would hide a replaced key, and an older registry a revocation.
 */

import { AgentError } from '../errors.ts'
import { handshakePartExpiry, mayOutlive } from '../records/handshake-expiry.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { integer, optional, text } from '../store/item-fields.ts'
import { address, digest } from '../store/keys.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** About 200 bytes for each DID and registry that the agent has read. */
export const seenItem = defineItem(
  'webvh-seen',
  ({ tenant, subject }: { tenant: string; subject: string }) => address(`${tenant}|webvh-seen|${digest(subject)}`),
  {
    entries: integer(),
    versionId: text(),
    /** Only of a DID that was seen in handshakes alone: for any other, an older log would be accepted again. */
    expiresAt: optional(integer()),
  },
  'scan',
)
type Seen = Stored<typeof seenItem>

/** The stored versions of a subject, with the changes of the running unit of work. */
interface TrackedVersions {
  current: Seen | undefined
}

/** State of a unit of work. `expires`: what it sees expires, unless it is stored without an expiry. */
const stateOf = (unit: UnitOfWork) =>
  unit.moduleState(seenItem, () => ({ expires: false, tracked: new Map<string, Promise<TrackedVersions>>() }))

const track = (unit: UnitOfWork, subject: string): Promise<TrackedVersions> => {
  const { tracked } = stateOf(unit)
  const known = tracked.get(subject) ?? read(unit, subject)
  tracked.set(subject, known)
  return known
}

const read = async (unit: UnitOfWork, subject: string): Promise<TrackedVersions> => {
  const key = { tenant: unit.tenant, subject }
  const stored = await unit.load(seenItem, key)
  const tracked: TrackedVersions = { current: stored }
  unit.beforeCommit(() => {
    const { current } = tracked
    if (current === undefined || current === stored) return
    if (stored === undefined) unit.create(seenItem.encode({ ...key, ...current }))
    else unit.replace(seenItem.encode({ ...key, ...current }), seenItem.attributes(stored))
  })
  return tracked
}

/**
 * Throws `request.invalid` if the versions of `subject` do not continue those last seen; otherwise the running unit of
 * work records the newest. `subject`: a DID, whose log entries contain a hash of all before, or a revocation registry,
 * with its links to lists. `versions`: ids of all versions, oldest first.
 */
export const assertNoRollback = async (
  unit: UnitOfWork,
  subject: string,
  versions: readonly string[],
): Promise<void> => {
  const tracked = await track(unit, subject)
  const seen = tracked.current
  const entries = versions.length
  const versionId = versions.at(-1)
  if (seen !== undefined && versions[seen.entries - 1] !== seen.versionId)
    throw new AgentError('request.invalid', 'it is older than the version last seen, or differs from it')
  if (versionId === undefined) return
  const expiresAt = expiryOf(seen, stateOf(unit).expires)
  if (entries !== seen?.entries || expiresAt !== seen.expiresAt) tracked.current = { entries, versionId, expiresAt }
}

/** An expiry is renewed at most once a day, because handshakes of the same DID at the same time would conflict. */
const expiryOf = (seen: Seen | undefined, expires: boolean): number | undefined => {
  if (!expires || (seen !== undefined && seen.expiresAt === undefined)) return undefined
  const now = new Date()
  return seen?.expiresAt !== undefined && mayOutlive(seen.expiresAt, now) ? seen.expiresAt : handshakePartExpiry(now)
}

/**
 * Sets an expiry on all that the running unit of work sees and that is not stored without one: its handshake may never
 * complete.
 */
export const expireVersions = (unit: UnitOfWork): void => {
  stateOf(unit).expires = true
}

/** Removes the expiry, after the handshake with a DID was completed. */
export const removeExpiry = async (unit: UnitOfWork, did: string): Promise<void> => {
  const tracked = await track(unit, did)
  if (tracked.current?.expiresAt !== undefined) tracked.current = { ...tracked.current, expiresAt: undefined }
}
