/**
 * Records of DIDs in the memory of the process. One never changes, so a process reads it once. This covers DIDs of this
 * agent, and DIDs that name their document by its hash (did:peer:1, and the short form of did:peer:4). Those of an
 * unfinished handshake expire (lib/agent/connections/unsolicited-requests.ts): no connection names them then.
 */
import type { AgentContext, DidRecord, Kms } from '@credo-ts/core'
import { Bounded } from '../../bounded.ts'
import { memorySizeOf } from '../../json.ts'
import { currentUnit } from '../../store/transaction.ts'
import { tenantOf } from '../credo/index.ts'
import { deepFreeze } from './did-documents.ts'

/** In bytes, enough for about 1,800 average records. Other agents choose the size of their DID documents. */
const MAX_KNOWN = 5 * 1024 * 1024

type Read = () => Promise<DidRecord[]>

/** By tenant and query. */
export class KnownDids extends Bounded<string, readonly DidRecord[]> {
  constructor() {
    super(MAX_KNOWN, Number.POSITIVE_INFINITY, memorySizeOf)
  }

  /** Own DIDs: one that is named is read once. */
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
