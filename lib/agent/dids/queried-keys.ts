/** The keys in a query for DIDs: fingerprints, or DIDs that contain them. */
import { type AgentContext, Kms } from '@credo-ts/core'
import type { TagQuery } from '../../store/index-entries.ts'
import type { Ed25519Key } from '../keys/index.ts'
import { LinearPeerDidResolver } from './did-resolvers.ts'
import { carriesDocument } from './peer-dids.ts'
import { keysOf } from './their-services.ts'

const resolver = new LinearPeerDidResolver()

/** Undefined unless every DID that matches the query has one of the keys. */
export const keysInQuery = async (agentContext: AgentContext, query: TagQuery): Promise<Ed25519Key[] | undefined> => {
  const terms = [query, ...(query.$or ?? [])].map(fingerprintsIn)
  const [all, ...branches] = await Promise.all(terms.map((read) => read(agentContext)))
  const keys = (all ?? union(branches) ?? []).map(ed25519Key)
  return keys.length > 0 && keys.every((key) => key !== undefined) ? keys : undefined
}

const union = (branches: (string[] | undefined)[]): string[] | undefined =>
  branches.every((branch) => branch !== undefined) ? [...new Set(branches.flat())] : undefined

/**
 * Fingerprints in a part of a query; undefined if it has neither a key nor a DID that contains its document and one
 * key.
 */
const fingerprintsIn =
  ({ did, alternativeDids, recipientKeyFingerprints }: TagQuery) =>
  async (agentContext: AgentContext): Promise<string[] | undefined> => {
    const fingerprints = [recipientKeyFingerprints].flat().filter(isText)
    if (fingerprints.length > 0) return fingerprints
    const [named] = [did, alternativeDids].flat().filter(isText)
    if (named === undefined || !carriesDocument(named)) return undefined
    const { didDocument } = await resolver.resolve(agentContext, named)
    const keys = didDocument === null ? [] : keysOf(didDocument)
    // The DID of a key's item has one key. An unknown sender may name a DID with many, each of which would be a read.
    return keys.length === 1 ? keys : undefined
  }

const isText = (value: unknown): value is string => typeof value === 'string'

const ed25519Key = (fingerprint: string): Ed25519Key | undefined => {
  const key = Kms.PublicJwk.fromFingerprint(fingerprint)
  return key.is(Kms.Ed25519PublicJwk) ? key : undefined
}
