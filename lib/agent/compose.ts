/** The agent with all protocols: connections, basic messages, credentials, proofs. A process has one, and each tenant a child context of it. */
// Must be first: Credo's AnonCreds copies the reference to the library when it is imported.
import './formats/anoncreds/index.ts'
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
import {
  acceptRepeatedComplete,
  ConnectionService,
  completeByMessage,
  completeRotation,
  DidExchange,
  DidRotateHandler,
  HangupHandler,
} from './connections/index.ts'
import { type AgentModules, agentOf, FeatureRegistry, provideAgent } from './credo/index.ts'
import { EnvelopeService } from './envelopes/index.ts'
import { credentialProtocols } from './exchanges/credentials/index.ts'
import { proofProtocols } from './exchanges/proofs/index.ts'
import { anoncreds, registries, TailsFiles } from './formats/anoncreds/index.ts'
import { signatureSuites, w3cCredentials } from './formats/json-ld/index.ts'
import {
  guardThread,
  handlesMessage,
  logProblemReports,
  MessageHandlerRegistry,
  markMessage,
  noteUnsolicited,
  registerPickup,
} from './inbound/index.ts'
import { Dispatcher, OutOfBandService } from './invitations/index.ts'
import { KeyManagementService, sealedKeys } from './keys/index.ts'
import { StrictQuestionAnswerService } from './messages/index.ts'
import { PickupQueue } from './transport/index.ts'

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
  noteUnsolicited,
  completeRotation,
  guardThread,
  acceptRepeatedComplete,
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
