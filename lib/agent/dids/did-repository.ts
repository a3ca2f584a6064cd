/** Credo's repository of DIDs, with a cache of records, which stores another agent's DID only once. */
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
import type { DidRecordCache } from './did-record-cache.ts'
import { keysInQuery } from './queried-keys.ts'
import { isStored } from './their-dids.ts'

export class AgentDidRepository extends DidRepository {
  readonly #known: DidRecordCache
  readonly #keys: Pick<SealedKeyStore, 'purposeOf' | 'addPurpose'>

  constructor(
    services: Pick<DependencyManager, 'resolve'>,
    known: DidRecordCache,
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

  /** Called for all queries by tags. Own DIDs that are stored in the item of their key are in no index. */
  override async findByQuery(...[agentContext, query, options]: Parameters<DidRepository['findByQuery']>) {
    const named = await this.#namedByKeys(agentContext, query as TagQuery)
    return named ?? super.findByQuery(agentContext, query, options)
  }

  /** Own DIDs in the items of the queried keys; undefined if the index may have other matches. */
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

  /** Credo's resolver of did:peer calls this if the DID does not contain its document. */
  override findAllByDid(...[agentContext, did]: Parameters<DidRepository['findAllByDid']>) {
    return this.#known.readOnce(agentContext, did, async () => {
      const records = await super.findAllByDid(agentContext, did)
      return records.length > 0 ? records : this.#ownDidOf(agentContext, did)
    })
  }

  /** The own DID with this short form, which its connection names in the long form. */
  async #ownDidOf(agentContext: AgentContext, short: string): Promise<DidRecord[]> {
    const partition = tagPartition(tenantOf(agentContext), connectionRecords, 'did', short)
    const { entries } = await currentUnit().runRead(() => listRecords(partition, { limit: 1, order: 'desc' }))
    const [{ tags, value } = { tags: {}, value: {} }] = entries
    const did = [tags.did, tags.previousDids].flat().find((one) => typeof one === 'string' && shortForm(one) === short)
    if (typeof did !== 'string') return []
    const [key] = (await keysInQuery(agentContext, { did })) ?? []
    return key === undefined ? [] : [toDidRecord({ did, createdAt: String(value.createdAt) }, key)]
  }

  /**
   * Stores a DID of another agent once for each key, and an own DID that is derived from its new key in the item of the
   * key. Throws a CredoError if another agent's key has too many DIDs.
   */
  override async save(...[agentContext, record]: Parameters<DidRepository['save']>) {
    if (await isStored(agentContext, record)) return
    const own = didOfKeyIn(record)
    if (own !== undefined && this.#keys.addPurpose(agentContext, verkeyOf(own.key), { did: own.did })) return
    await super.save(agentContext, record)
  }

  /** Throws, because other processes have the record in their caches. */
  override update(): never {
    throw new CredoError('the record of a DID does not change')
  }

  override updateByIdWithLock = this.update
  override delete = this.update
  override deleteById = this.update

  /**
   * Only Credo's handshakes call this, to reject a sender whose key is in a known document. A third party could use
   * that to block another agent. Connections do not need unique keys: see `connectionOfKeys`. /
   */
  override async findReceivedDidByRecipientKey() {
    return null
  }
}
