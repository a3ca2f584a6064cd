/** Credo's DIDs of other agents, of which any number may name the same key. */
import { type DependencyManager, type DidRecord, DidRepository, EventEmitter, InjectionSymbols } from '@credo-ts/core'

export class AgentDidRepository extends DidRepository {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(services.resolve(InjectionSymbols.StorageService), services.resolve(EventEmitter))
  }

  /**
   * Asked by Credo's handshakes only, which refuse a sender whose key is in a document that they know. Anybody could so keep another
   * agent from connecting. Connections need no key of their own: see `ConnectionLookup.findByKeys`.
   */
  override async findReceivedDidByRecipientKey(): Promise<DidRecord | null> {
    return null
  }
}
