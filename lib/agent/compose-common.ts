/** Modules of every agent of this service, below Credo's protocols: storage, keys, DIDs, envelopes, outbox, sessions. */
import {
  type AgentContextProvider,
  type BaseRecord,
  CacheModule,
  type DependencyManager,
  DidRepository,
  DidsModule,
  InjectionSymbols,
  JwkDidRegistrar,
  KeyDidRegistrar,
  type Module,
  PeerDidRegistrar,
  type StorageService,
} from '@credo-ts/core'
import { DidCommDocumentService, DidCommEnvelopeService, DidCommTransportService } from '@credo-ts/didcomm'
import { UnitOfWorkStorageService } from './credo/index.ts'
import {
  AgentDidRepository,
  AgentDocumentService,
  BoundedJwkDidResolver,
  DidRecordCache,
  DocumentCache,
  LinearPeerDidResolver,
  SharedKeyDidResolver,
} from './dids/index.ts'
import { AgentPackingService } from './envelopes/index.ts'
import { sealedKeys } from './keys/index.ts'
import { OutboxTransport, PickupQueue, UnitOfWorkSessions } from './transport/index.ts'
import { GuardedWebDidResolver } from './web/index.ts'
import { WebvhDidResolver } from './webvh/index.ts'

/** Caches of the process, shared by its agents: DID records, and other agents' DID documents. */
const knownDids = new DidRecordCache()
const resolvedDocuments = new DocumentCache()

/** DIDComm options of every agent. `endpoint`: the endpoint in the tenant's DIDs and invitations. */
export const commonOptions = (endpoint: string) => ({
  endpoints: [endpoint],
  transports: { inbound: [], outbound: [new OutboxTransport()] },
  queueTransportRepository: new PickupQueue(),
  // A mediator would create keys at its start, in all concurrent cold starts.
  mediator: false as const,
  mediationRecipient: false as const,
  messagePickup: false as const,
  connections: { autoAcceptConnections: true },
})

/** Credo's modules below DIDComm, and ours, which comes after DIDComm's because it replaces what that registers. */
export const platformModules = (contexts: AgentContextProvider) => ({
  below: {
    // The default cache writes to the storage. This one only caches DID documents.
    cache: new CacheModule({ cache: resolvedDocuments, useCachedStorageService: false }),
    dids: new DidsModule({
      registrars: [new KeyDidRegistrar(), new PeerDidRegistrar(), new JwkDidRegistrar()],
      resolvers: [
        new SharedKeyDidResolver(),
        new LinearPeerDidResolver(),
        new BoundedJwkDidResolver(),
        new GuardedWebDidResolver(),
        new WebvhDidResolver(),
      ],
    }),
  },
  platform: new PlatformModule(contexts),
})

/** The members of the service that Credo calls; the others are private, or belong to its own table. */
type Sessions = Omit<DidCommTransportService, 'transportSessionTable'>

class PlatformModule implements Module {
  readonly #contexts: AgentContextProvider

  constructor(contexts: AgentContextProvider) {
    this.#contexts = contexts
  }

  register(dependencyManager: DependencyManager): void {
    const storage: StorageService<BaseRecord> = new UnitOfWorkStorageService()
    dependencyManager.registerInstance(InjectionSymbols.StorageService, storage)
    dependencyManager.registerInstance(InjectionSymbols.AgentContextProvider, this.#contexts)
    dependencyManager.registerInstance<Sessions>(DidCommTransportService, new UnitOfWorkSessions())
    const { container } = dependencyManager
    container.register(DidRepository, {
      useFactory: (services) => new AgentDidRepository(services, knownDids, sealedKeys),
    })
    container.register(DidCommEnvelopeService, {
      useFactory: (services) => new AgentPackingService(services, sealedKeys),
    })
    container.register(DidCommDocumentService, { useFactory: (services) => new AgentDocumentService(services) })
  }
}
