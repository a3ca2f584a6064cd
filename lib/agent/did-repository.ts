/** Credo's DIDs of other agents, of which any number may name the same key. */
import { type DependencyManager, type DidRecord, DidRepository, EventEmitter, InjectionSymbols } from '@credo-ts/core'

export class AgentDidRepository extends DidRepository {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(services.resolve(InjectionSymbols.StorageService), services.resolve(EventEmitter))
  }

  /**
   * Credo's handshakes refuse a sender whose key is in a document that they know, so whoever names another's key in a document
   * keeps that other out. Connections are told apart by our key (`ConnectionLookup.findByKeys`): nothing stands in the way.
   */
  override async findReceivedDidByRecipientKey(): Promise<DidRecord | null> {
    return null
  }
}
