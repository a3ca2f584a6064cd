/**
 * DIDs of other agents by their keys. Several may have the same key, because any agent can write it into a document.
 */
import {
  type AgentContext,
  CredoError,
  type DidDocument,
  DidDocumentRole,
  type DidRecord,
  DidRepository,
  getAlternativeDidsForPeerDid,
  isValidPeerDid,
} from '@credo-ts/core'
import { Bounded } from '../../bounded.ts'
import { memorySizeOf } from '../../json.ts'
import { handshakePartExpiry, mayOutlive, OF_UNFINISHED_HANDSHAKE } from '../../records/handshake-expiry.ts'
import { didRecords } from '../../records/kinds.ts'
import { tagPartition } from '../../store/index-entries.ts'
import { currentUnit } from '../../store/transaction.ts'
import { tenantOf } from '../credo/index.ts'
import type { Ed25519Key } from '../keys/index.ts'

/** DIDs of other agents with this key. */
export const didsWithKey = (agentContext: AgentContext, key: Ed25519Key): Promise<DidRecord[]> =>
  didsOfKey(agentContext, key.fingerprint)

const didsOfKey = (agentContext: AgentContext, fingerprint: string): Promise<DidRecord[]> =>
  agentContext
    .resolve(DidRepository)
    .findByQuery(agentContext, { recipientKeyFingerprints: [fingerprint], role: DidDocumentRole.Received })

/** The newest of them, at most `max`, those of completed handshakes first. */
export const newestDidsWithKey = async (
  agentContext: AgentContext,
  key: Ed25519Key,
  max: number,
): Promise<DidRecord[]> => {
  const isUnfinished = (record: DidRecord): number => Number(record.getTag(OF_UNFINISHED_HANDSHAKE) === true)
  const newest = (await didsWithKey(agentContext, key)).reverse()
  return newest.sort((one, other) => isUnfinished(one) - isUnfinished(other)).slice(0, max)
}

/** In bytes. Other agents choose their DIDs. */
const MAX_CACHE_BYTES = 1024 * 1024

/** Cached DIDs by key, for connections. Their records exist as long as a connection names them. */
const cachedDids = new Bounded<string, readonly string[]>(MAX_CACHE_BYTES, Number.POSITIVE_INFINITY, memorySizeOf)

const cacheKeyOf = (agentContext: AgentContext, { fingerprint }: Ed25519Key): string =>
  `${tenantOf(agentContext)} ${fingerprint}`

/** Whether another agent has, or had, a DID with this key. */
export const hasDid = async (agentContext: AgentContext, key: Ed25519Key): Promise<boolean> =>
  cachedDids.get(cacheKeyOf(agentContext, key)) !== undefined || (await didsWithKey(agentContext, key)).length > 0

/** Whether it is the key of one of these DIDs. */
export const isKeyOf = async (
  agentContext: AgentContext,
  key: Ed25519Key,
  dids: readonly (string | undefined)[],
): Promise<boolean> => {
  const name = cacheKeyOf(agentContext, key)
  if (cachedDids.get(name)?.some((did) => dids.includes(did))) return true
  const ofKey = await didsWithKey(agentContext, key)
  const found = dids.find((did) => ofKey.some((record) => isOfDid(record, did)))
  if (found !== undefined)
    currentUnit().afterCommit(() => cachedDids.set(name, [...new Set([...(cachedDids.get(name) ?? []), found])]))
  return found !== undefined
}

/** A DID in all of its forms (a did:peer:4 has two). */
export const formsOf = (record: DidRecord): string[] => [record.did, ...(record.getTags().alternativeDids ?? [])]

const isOfDid = (record: DidRecord, did: string | undefined): boolean =>
  did !== undefined && formsOf(record).includes(did)

/**
 * Maximum number of DIDs of another agent's key. One request reads them all, so their documents have 1 MB together.
 * They are not deleted with their connection. /
 */
const MAX_DIDS_OF_KEY = 50

/**
 * Whether another agent's DID is stored already under its key, permanently or for as long as the running handshake may
 * take: a wallet with one key uses the same DID in each handshake. Throws a CredoError if the key has too many other
 * DIDs.
 */
export const isStored = async (agentContext: AgentContext, record: DidRecord): Promise<boolean> => {
  if (record.role !== DidDocumentRole.Received) return false
  const [fingerprint] = record.getTags().recipientKeyFingerprints ?? []
  if (fingerprint === undefined) return false
  const ofKey = await didsOfKey(agentContext, fingerprint)
  const same = ofKey.filter((known) => isOfDid(known, record.did))
  if (same.some((known) => known.getTag(OF_UNFINISHED_HANDSHAKE) !== true)) return true
  const shared = sharing().dids
  const lasting = same.find(({ createdAt }) => mayOutlive(handshakePartExpiry(createdAt), new Date()))
  if (shared !== undefined && lasting !== undefined) {
    shared.push(lasting.id)
    return true
  }
  const unit = currentUnit()
  const isFull = unit.hasOlder(tagPartition(unit.tenant, didRecords, 'recipientKeyFingerprints', fingerprint))
  if (isFull || ofKey.length >= MAX_DIDS_OF_KEY) throw new CredoError('the key has too many DIDs already')
  return false
}

const sharing = () => currentUnit().moduleState(isStored, (): { dids?: string[] } => ({}))

/**
 * Lets the running handshake, which expires unless it is completed, share DIDs of other such handshakes. Returns the
 * ids of the shared records: the first completed handshake removes their expiry.
 */
export const shareDids = (): string[] => {
  const shared = sharing()
  shared.dids ??= []
  return shared.dids
}

/**
 * Stores another agent's DID under the authenticated key, and under no other key of its document. Throws as `save`. /
 */
export const storeTheirDid = async (
  agentContext: AgentContext,
  received: { did: string; didDocument?: DidDocument },
  key: Ed25519Key,
): Promise<void> => {
  const alternativeDids = isValidPeerDid(received.did) ? getAlternativeDidsForPeerDid(received.did) : undefined
  const tags = { recipientKeyFingerprints: [key.fingerprint], ...(alternativeDids && { alternativeDids }) }
  await agentContext.resolve(DidRepository).storeReceivedDid(agentContext, { ...received, tags })
}
