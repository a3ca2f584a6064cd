/** Credo's modules as this agent uses them: our storage, keys, outbox and sessions below, its protocols above. */
import {
  type AgentContextProvider,
  type BaseRecord,
  CacheModule,
  type DependencyManager,
  DidRepository,
  DidsModule,
  InjectionSymbols,
  InMemoryLruCache,
  JwkDidRegistrar,
  JwkDidResolver,
  KeyDidRegistrar,
  Kms,
  type Module,
  PeerDidRegistrar,
  type StorageService,
} from '@credo-ts/core'
import {
  DidCommAutoAcceptCredential,
  DidCommAutoAcceptProof,
  DidCommConnectionService,
  DidCommDocumentService,
  DidCommEnvelopeService,
  DidCommMessageHandlerRegistry,
  DidCommModule,
  DidCommModuleConfig,
  DidCommOutOfBandService,
  DidCommTransportService,
  DidExchangeProtocol,
} from '@credo-ts/didcomm'
import { ConnectionService } from './connection-service.ts'
import { CredentialProtocol } from './credential-protocol.ts'
import { DidExchange } from './did-exchange.ts'
import { AgentDidRepository, KnownDids } from './did-repository.ts'
import { EnvelopeService } from './envelope-service.ts'
import { w3cCredentials } from './json-ld/document-loader.ts'
import { KeyManagementService } from './keys/key-management-service.ts'
import { SealedKeyStore } from './keys/sealed-key-store.ts'
import { OutOfBandService } from './out-of-band-service.ts'
import { OutboxTransport } from './outbox-transport.ts'
import { LinearPeerDidResolver } from './peer-did-resolver.ts'
import { MessageHandlerRegistry } from './problem-reports.ts'
import { AnonCredsNonces, proofProtocols } from './proof-protocols.ts'
import { NoQueueTransport } from './queue-transport.ts'
import { UnitOfWorkSessions } from './return-route.ts'
import { SharedKeyDidResolver } from './shared-documents.ts'
import { UnitOfWorkStorageService } from './storage-service.ts'
import { DocumentService } from './their-services.ts'
import { GuardedWebDidResolver } from './web-documents.ts'

/** Resolved DID documents of others, in memory; a created one is in the table. */
const CACHED_DOCUMENTS = 500

/** Options that differ by tenant: the endpoint that its DIDs and invitations name. */
const didCommOptions = (endpoint: string) => ({
  endpoints: [endpoint],
  transports: { inbound: [], outbound: [new OutboxTransport()] },
  queueTransportRepository: new NoQueueTransport(),
  // A mediator makes keys at its start, so that cold starts race.
  mediator: false as const,
  mediationRecipient: false as const,
  messagePickup: false as const,
  connections: { autoAcceptConnections: true },
  credentials: {
    autoAcceptCredentials: DidCommAutoAcceptCredential.ContentApproved,
    credentialProtocols: [new CredentialProtocol()],
  },
  proofs: { autoAcceptProofs: DidCommAutoAcceptProof.ContentApproved, proofProtocols: proofProtocols() },
})

/** The configuration of a tenant's own DIDComm endpoint. */
export const didCommConfig = (endpoint: string): DidCommModuleConfig =>
  new DidCommModuleConfig(didCommOptions(endpoint))

export const agentModules = (endpoint: string, contexts: AgentContextProvider, keys = new SealedKeyStore()) => ({
  kms: new Kms.KeyManagementModule({ backends: [new KeyManagementService(keys)] }),
  // The default cache writes to the storage, and this one is asked for DID documents only.
  cache: new CacheModule({ cache: new InMemoryLruCache({ limit: CACHED_DOCUMENTS }), useCachedStorageService: false }),
  dids: new DidsModule({
    registrars: [new KeyDidRegistrar(), new PeerDidRegistrar(), new JwkDidRegistrar()],
    resolvers: [
      new SharedKeyDidResolver(),
      new LinearPeerDidResolver(),
      new JwkDidResolver(),
      new GuardedWebDidResolver(),
    ],
  }),
  w3cCredentials: w3cCredentials(),
  didcomm: new DidCommModule(didCommOptions(endpoint)),
  anonCredsNonces: new AnonCredsNonces(),
  // Last: it replaces what modules before it have registered.
  platform: new PlatformModule(contexts, keys),
})

export type AgentModules = ReturnType<typeof agentModules>

class PlatformModule implements Module {
  readonly #contexts: AgentContextProvider

  readonly #keys: SealedKeyStore

  constructor(contexts: AgentContextProvider, keys: SealedKeyStore) {
    this.#contexts = contexts
    this.#keys = keys
  }

  register(dependencyManager: DependencyManager): void {
    const storage: StorageService<BaseRecord> = new UnitOfWorkStorageService()
    dependencyManager.registerInstance(InjectionSymbols.StorageService, storage)
    dependencyManager.registerInstance(InjectionSymbols.AgentContextProvider, this.#contexts)
    // Only its public methods are called, and those are all there.
    const sessions = new UnitOfWorkSessions() as unknown as DidCommTransportService
    dependencyManager.registerInstance(DidCommTransportService, sessions)
    dependencyManager.registerInstance(DidCommMessageHandlerRegistry, new MessageHandlerRegistry())
    const { container } = dependencyManager
    const known = new KnownDids()
    container.register(DidRepository, { useFactory: (services) => new AgentDidRepository(services, known) })
    container.register(DidCommEnvelopeService, { useFactory: (services) => new EnvelopeService(services, this.#keys) })
    container.register(DidCommDocumentService, { useFactory: (services) => new DocumentService(services) })
    container.register(DidCommConnectionService, { useFactory: (services) => new ConnectionService(services) })
    container.register(DidCommOutOfBandService, { useFactory: (services) => new OutOfBandService(services) })
    container.register(DidExchangeProtocol, { useFactory: (services) => new DidExchange(services) })
  }
}
