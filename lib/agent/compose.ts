/** The agent with all protocols: connections, basic messages, credentials, proofs. A process has one, and each tenant a child context of it. */
// Must be first: Credo's AnonCreds copies the reference to the library when it is imported.
import './formats/anoncreds/library.ts'
import { AnonCredsModule } from '@credo-ts/anoncreds'
import {
  type AgentContextProvider,
  type DependencyManager,
  Kms,
  type Module,
  SignatureSuiteRegistry,
} from '@credo-ts/core'
import {
  DidCommAutoAcceptCredential,
  DidCommAutoAcceptProof,
  DidCommConnectionService,
  DidCommDispatcher,
  DidCommEnvelopeService,
  DidCommFeatureRegistry,
  DidCommMessageHandlerRegistry,
  DidCommModule,
  DidCommModuleConfig,
  DidCommOutOfBandService,
  DidExchangeProtocol,
} from '@credo-ts/didcomm'
import { QuestionAnswerModule, QuestionAnswerService } from '@credo-ts/question-answer'
import { commonOptions, platformModules } from './compose-common.ts'
import { ConnectionService } from './connections/connection-service.ts'
import { completeByMessage, DidExchange, takeRepeatedComplete } from './connections/did-exchange.ts'
import { completeRotation, DidRotateHandler, HangupHandler } from './connections/did-rotation.ts'
import { type AgentModules, provideAgent } from './credo/current.ts'
import { agentOf } from './credo/root-agent.ts'
import { EnvelopeService } from './envelopes/open-envelope.ts'
import { credentialProtocols } from './exchanges/credentials/protocols.ts'
import { proofProtocols } from './exchanges/proofs/protocols.ts'
import { anoncreds } from './formats/anoncreds/library.ts'
import { registries } from './formats/anoncreds/registries.ts'
import { TailsFiles } from './formats/anoncreds/tails-files.ts'
import { w3cCredentials } from './formats/json-ld/document-loader.ts'
import { signatureSuites } from './formats/json-ld/signature-suites.ts'
import { handlesMessage, markMessage } from './inbound/inbox.ts'
import { registerPickup } from './inbound/pickup-protocols.ts'
import { logProblemReports, MessageHandlerRegistry } from './inbound/problem-reports.ts'
import { guardThread } from './inbound/thread-guard.ts'
import { Dispatcher } from './invitations/attached-requests.ts'
import { OutOfBandService } from './invitations/out-of-band-service.ts'
import { KeyManagementService } from './keys/key-management-service.ts'
import { sealedKeys } from './keys/sealed-key-store.ts'
import { StrictQuestionAnswerService } from './messages/question-answer-service.ts'
import { PickupQueue } from './transport/pickup-queue.ts'
import { boundDocuments } from './web/documents.ts'

const didCommOptions = (endpoint: string) => ({
  ...commonOptions(endpoint),
  queueTransportRepository: new PickupQueue(handlesMessage),
  credentials: {
    autoAcceptCredentials: DidCommAutoAcceptCredential.ContentApproved,
    credentialProtocols: credentialProtocols(),
  },
  proofs: { autoAcceptProofs: DidCommAutoAcceptProof.ContentApproved, proofProtocols: proofProtocols() },
})

const agentModules = (endpoint: string, contexts: AgentContextProvider) => {
  const { below, platform } = platformModules(contexts)
  return {
    kms: new Kms.KeyManagementModule({ backends: [new KeyManagementService(sealedKeys)] }),
    ...below,
    w3cCredentials: w3cCredentials(),
    didcomm: new DidCommModule(didCommOptions(endpoint)),
    anoncreds: new AnonCredsModule({
      anoncreds,
      // Credo's type asks for at least one registry.
      registries: registries as [(typeof registries)[number]],
      tailsFileService: new TailsFiles(),
    }),
    questionAnswer: new QuestionAnswerModule(),
    // Must be last: they replace registrations of the modules above.
    platform,
    protocols: new ProtocolsModule(),
  }
}

/** Answers feature queries (Aries RFC 0031, 0557). Credo repeats all features for each of hundreds of equal queries in a message: 1 MB for 25 KB. */
class FeatureRegistry extends DidCommFeatureRegistry {
  override query(...queries: Parameters<DidCommFeatureRegistry['query']>) {
    return [...new Set(super.query(...queries))]
  }
}

/** Replaces Credo's services by stricter ones. */
class ProtocolsModule implements Module {
  register(dependencyManager: DependencyManager): void {
    dependencyManager.registerInstance(DidCommMessageHandlerRegistry, new MessageHandlerRegistry())
    dependencyManager.registerInstance(DidCommFeatureRegistry, new FeatureRegistry())
    const { container } = dependencyManager
    container.register(DidCommEnvelopeService, { useFactory: (services) => new EnvelopeService(services, sealedKeys) })
    container.register(DidCommConnectionService, { useFactory: (services) => new ConnectionService(services) })
    container.register(DidCommOutOfBandService, { useFactory: (services) => new OutOfBandService(services) })
    container.register(DidCommDispatcher, { useFactory: (services) => new Dispatcher(services) })
    container.register(QuestionAnswerService, { useFactory: (services) => new StrictQuestionAnswerService(services) })
    dependencyManager.registerInstance(SignatureSuiteRegistry, signatureSuites())
    container.register(DidExchangeProtocol, { useFactory: (services) => new DidExchange(services) })
  }
}

/** What runs before the handler of each message, in this order. */
const MIDDLEWARE = [
  logProblemReports,
  markMessage,
  boundDocuments,
  completeRotation,
  guardThread,
  takeRepeatedComplete,
  completeByMessage,
]

provideAgent(
  agentOf({
    modules: agentModules satisfies (...of: Parameters<typeof agentModules>) => AgentModules,
    configOf: (endpoint) => new DidCommModuleConfig(didCommOptions(endpoint)),
    prepare: ({ modules: { didcomm }, dependencyManager }) => {
      for (const middleware of MIDDLEWARE) didcomm.registerMessageHandlerMiddleware(middleware)
      // Credo calls the first handler that supports a message, and registers its own handlers later.
      didcomm.registerMessageHandlers([new DidRotateHandler(), new HangupHandler()])
      registerPickup(dependencyManager, (handlers) => didcomm.registerMessageHandlers(handlers))
    },
  }),
)
