/** Credo's repository of DIDs, which reads a record once and stores another agent's DID once. */
import {
  type AgentContext,
  CredoError,
  type DependencyManager,
  DidDocumentRole,
  type DidRecord,
  DidRepository,
  EventEmitter,
  InjectionSymbols,
} from '@credo-ts/core'
import { shortForm } from '../../records/did-forms.ts'
import { connectionRecords } from '../../records/kinds.ts'
import { matches, type TagQuery, tagPartition } from '../../store/index-entries.ts'
import { listRecords } from '../../store/record-reads.ts'
import { currentUnit } from '../../store/transaction.ts'
import { tenantOf } from '../credo/index.ts'
import { type SealedKeyStore, verkeyOf } from '../keys/index.ts'
import { didOfKeyIn, toDidRecord } from './did-of-key.ts'
import type { KnownDids } from './known-dids.ts'
import { keysInQuery } from './queried-keys.ts'
import { isStored } from './their-dids.ts'

export class AgentDidRepository extends DidRepository {
  readonly #known: KnownDids
  readonly #keys: Pick<SealedKeyStore, 'purposeOf' | 'addPurpose'>

  constructor(
    services: Pick<DependencyManager, 'resolve'>,
    known: KnownDids,
    keys: Pick<SealedKeyStore, 'purposeOf' | 'addPurpose'>,
  ) {
    super(services.resolve(InjectionSymbols.StorageService), services.resolve(EventEmitter))
    this.#known = known
    this.#keys = keys
  }

  override async getCreatedDids(...[agentContext, query]: Parameters<DidRepository['getCreatedDids']>) {
    return this.#known.createdDids(agentContext, query, () => super.getCreatedDids(agentContext, query))
  }

  override async findCreatedDidByRecipientKey(
    ...[agentContext, key]: Parameters<DidRepository['findCreatedDidByRecipientKey']>
  ) {
    return this.#known.createdDidOfKey(agentContext, key, () => super.findCreatedDidByRecipientKey(agentContext, key))
  }

  /** All queries by tags come here. Own DIDs that their key names are in no index. */
  override async findByQuery(...[agentContext, query, options]: Parameters<DidRepository['findByQuery']>) {
    const named = await this.#namedByKeys(agentContext, query as TagQuery)
    return named ?? super.findByQuery(agentContext, query, options)
  }

  /** Undefined if the index may have others. Each DID of the agent has a key of the agent. */
  async #namedByKeys(agentContext: AgentContext, query: TagQuery): Promise<DidRecord[] | undefined> {
    if (query.role !== DidDocumentRole.Created) return undefined
    const keys = await keysInQuery(agentContext, query)
    if (keys === undefined) return undefined
    const purposes = await Promise.all(keys.map((key) => this.#keys.purposeOf(agentContext, verkeyOf(key))))
    const named = keys.flatMap((key, index) => {
      const did = purposes[index]?.did
      return did === undefined ? [] : [toDidRecord(did, key)]
    })
    const matching = named.filter((record) => matches(record.getTags(), query))
    return matching.length > 0 || purposes.every((purpose) => purpose === undefined) ? matching : undefined
  }

  /** Credo's resolver of did:peer calls this for a document that is not in the DID. */
  override findAllByDid(...[agentContext, did]: Parameters<DidRepository['findAllByDid']>) {
    return this.#known.readOnce(agentContext, did, async () => {
      const records = await super.findAllByDid(agentContext, did)
      return records.length > 0 ? records : this.#ownDidOf(agentContext, did)
    })
  }

  /** The own DID with this short form, which its connection names in the long form. */
  async #ownDidOf(agentContext: AgentContext, short: string): Promise<DidRecord[]> {
    const partition = tagPartition(tenantOf(agentContext), connectionRecords, 'did', short)
    const { entries } = await currentUnit().recordFailure(() => listRecords(partition, { limit: 1, order: 'desc' }))
    const [{ tags, value } = { tags: {}, value: {} }] = entries
    const did = [tags.did, tags.previousDids].flat().find((one) => typeof one === 'string' && shortForm(one) === short)
    if (typeof did !== 'string') return []
    const [key] = (await keysInQuery(agentContext, { did })) ?? []
    return key === undefined ? [] : [toDidRecord({ did, createdAt: String(value.createdAt) }, key)]
  }

  /**
   * Stores a DID of another agent once for each key, and an own one that follows from its new key in the item of that
   * key. Throws a CredoError if another agent's key has too many.
   */
  override async save(...[agentContext, record]: Parameters<DidRepository['save']>) {
    if (await isStored(agentContext, record)) return
    const own = didOfKeyIn(record)
    if (own !== undefined && this.#keys.addPurpose(agentContext, verkeyOf(own.key), { did: own.did })) return
    await super.save(agentContext, record)
  }

  /** Throws, because other processes would keep the former record in memory. */
  override update(): never {
    throw new CredoError('the record of a DID does not change')
  }

  override updateByIdWithLock = this.update
  override delete = this.update
  override deleteById = this.update

  /**
   * Only Credo's handshakes call this, to reject a sender whose key is in a known document. With that, anybody could
   * block another agent. Connections do not need unique keys: see `connectionOfKeys`.
   */
  override async findReceivedDidByRecipientKey() {
    return null
  }
}
