/** The keys that a query for DIDs asks for, by themselves or by DIDs that contain them. */
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

/** Of the terms of a query; undefined if they name neither a key nor a DID that contains its document and has one key. */
const fingerprintsIn =
  ({ did, alternativeDids, recipientKeyFingerprints }: TagQuery) =>
  async (agentContext: AgentContext): Promise<string[] | undefined> => {
    const fingerprints = [recipientKeyFingerprints].flat().filter(isText)
    if (fingerprints.length > 0) return fingerprints
    const [named] = [did, alternativeDids].flat().filter(isText)
    if (named === undefined || !carriesDocument(named)) return undefined
    const { didDocument } = await resolver.resolve(agentContext, named)
    const keys = didDocument === null ? [] : keysOf(didDocument)
    // A DID that its key names has no other. Strangers may name one of many, each of which would be a read.
    return keys.length === 1 ? keys : undefined
  }

const isText = (value: unknown): value is string => typeof value === 'string'

const ed25519Key = (fingerprint: string): Ed25519Key | undefined => {
  const key = Kms.PublicJwk.fromFingerprint(fingerprint)
  return key.is(Kms.Ed25519PublicJwk) ? key : undefined
}
