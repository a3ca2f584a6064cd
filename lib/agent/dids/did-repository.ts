/** Credo's repository of DIDs, which reads a record once and stores another agent's DID once. */
import { CredoError, type DependencyManager, DidRepository, EventEmitter, InjectionSymbols } from '@credo-ts/core'
import type { KnownDids } from './known-dids.ts'
import { isStored } from './their-dids.ts'

export class AgentDidRepository extends DidRepository {
  readonly #known: KnownDids

  constructor(services: Pick<DependencyManager, 'resolve'>, known: KnownDids) {
    super(services.resolve(InjectionSymbols.StorageService), services.resolve(EventEmitter))
    this.#known = known
  }

  override async getCreatedDids(...[agentContext, query]: Parameters<DidRepository['getCreatedDids']>) {
    return this.#known.createdDids(agentContext, query, () => super.getCreatedDids(agentContext, query))
  }

  override async findCreatedDidByRecipientKey(
    ...[agentContext, key]: Parameters<DidRepository['findCreatedDidByRecipientKey']>
  ) {
    return this.#known.createdDidOfKey(agentContext, key, () => super.findCreatedDidByRecipientKey(agentContext, key))
  }

  /** Credo's resolver of did:peer calls this for a document that is not in the DID. */
  override findAllByDid(...[agentContext, did]: Parameters<DidRepository['findAllByDid']>) {
    return this.#known.readOnce(agentContext, did, () => super.findAllByDid(agentContext, did))
  }

  /** Stores a DID of another agent once for each key. Throws a CredoError if the key has too many. */
  override async save(...[agentContext, record]: Parameters<DidRepository['save']>) {
    if (!(await isStored(agentContext, record))) await super.save(agentContext, record)
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
