/**
 * Cache of DID records, which never change: of this agent's DIDs, and of DIDs that are a hash of their document
 * (did:peer:1, and the short form of did:peer:4). Records of an unfinished handshake expire
 * (lib/agent/connections/unsolicited-requests.ts), but then no connection names them.
 */
import type { AgentContext, DidRecord, Kms } from '@credo-ts/core'
import { Bounded } from '../../bounded.ts'
import { memorySizeOf } from '../../json.ts'
import { currentUnit } from '../../store/transaction.ts'
import { tenantOf } from '../credo/index.ts'
import { deepFreeze } from './did-documents.ts'

/** In bytes, enough for about 1,800 average records. Other agents choose the size of their DID documents. */
const MAX_CACHE_BYTES = 5 * 1024 * 1024

type Read = () => Promise<DidRecord[]>

/** By tenant and query. */
export class DidRecordCache extends Bounded<string, readonly DidRecord[]> {
  constructor() {
    super(MAX_CACHE_BYTES, Number.POSITIVE_INFINITY, memorySizeOf)
  }

  /** Own DIDs; cached if the query has only a DID. */
  createdDids(agentContext: AgentContext, { did, method }: { did?: string; method?: string }, read: Read) {
    return did === undefined || method !== undefined ? read() : this.readOnce(agentContext, `created ${did}`, read)
  }

  async createdDidOfKey(agentContext: AgentContext, key: Kms.PublicJwk, read: () => Promise<DidRecord | null>) {
    const records = async () => [await read()].filter((record) => record !== null)
    const [record = null] = await this.readOnce(agentContext, `created by key ${key.fingerprint}`, records)
    return record
  }

  /**
   * Reads until a record is found, freezes it because it is shared, and caches it when the reading unit of work
   * commits.
   */
  async readOnce(agentContext: AgentContext, what: string, read: Read): Promise<DidRecord[]> {
    const key = `${tenantOf(agentContext)} ${what}`
    const known = this.get(key)
    if (known !== undefined) return [...known]
    const records = deepFreeze(await read())
    if (records.length > 0) currentUnit().afterCommit(() => this.set(key, records))
    return [...records]
  }
}
