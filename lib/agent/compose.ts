/** The agent with all protocols. A process has one, and each tenant a child context of it. */
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
  DidCommMessageRepository,
  DidCommModule,
  DidCommModuleConfig,
  DidCommOutOfBandService,
  DidExchangeProtocol,
} from '@credo-ts/didcomm'
import { QuestionAnswerModule, QuestionAnswerService } from '@credo-ts/question-answer'
import { commonOptions, platformModules } from './compose-common.ts'
import {
  AgentConnectionService,
  AgentDidExchange,
  acceptRepeatedComplete,
  completeByMessage,
  completeRotation,
  DidRotateHandler,
  HangupHandler,
  requireInvitation,
} from './connections/index.ts'
import { AgentFeatureRegistry, type AgentModules, agentOf, provideAgent, UNREGISTERED_FEATURES } from './credo/index.ts'
import { AgentEnvelopeService } from './envelopes/index.ts'
import { credentialProtocols, issueLater } from './exchanges/credentials/index.ts'
import { AgentMessageRepository } from './exchanges/index.ts'
import { proofProtocols } from './exchanges/proofs/index.ts'
import { anoncreds, registries, TailsFiles } from './formats/anoncreds/index.ts'
import { signatureSuites, w3cCredentials } from './formats/json-ld/index.ts'
import {
  AgentMessageHandlerRegistry,
  checkMessage,
  guardThread,
  handlesMessage,
  ignorePendingAcks,
  logProblemReports,
  markMessage,
  pickupProtocols,
  recordUnsolicited,
  registerPickup,
} from './inbound/index.ts'
import { AgentDispatcher, AgentOutOfBandService } from './invitations/index.ts'
import { keyManagement, sealedKeys } from './keys/index.ts'
import { AgentQuestionAnswerService } from './messages/index.ts'
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
    kms: new Kms.KeyManagementModule({ backends: [keyManagement] }),
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
    dependencyManager.registerInstance(DidCommMessageHandlerRegistry, new AgentMessageHandlerRegistry())
    dependencyManager.registerInstance(DidCommFeatureRegistry, new AgentFeatureRegistry())
    const { container } = dependencyManager
    container.register(DidCommEnvelopeService, {
      useFactory: (services) => new AgentEnvelopeService(services, sealedKeys),
    })
    container.register(DidCommConnectionService, { useFactory: (services) => new AgentConnectionService(services) })
    container.register(DidCommOutOfBandService, { useFactory: (services) => new AgentOutOfBandService(services) })
    container.register(DidCommMessageRepository, { useFactory: (services) => new AgentMessageRepository(services) })
    container.register(DidCommDispatcher, { useFactory: (services) => new AgentDispatcher(services) })
    container.register(QuestionAnswerService, { useFactory: (services) => new AgentQuestionAnswerService(services) })
    dependencyManager.registerInstance(SignatureSuiteRegistry, signatureSuites())
    container.register(DidExchangeProtocol, { useFactory: (services) => new AgentDidExchange(services) })
  }
}

/** Runs before the handler of each message, in this order. */
const MIDDLEWARE = [
  logProblemReports,
  markMessage,
  recordUnsolicited,
  completeRotation,
  requireInvitation,
  guardThread,
  acceptRepeatedComplete,
  completeByMessage,
  ignorePendingAcks,
  issueLater,
  checkMessage,
]

provideAgent(
  agentOf({
    modules: agentModules satisfies (...of: Parameters<typeof agentModules>) => AgentModules,
    configOf: (endpoint) => new DidCommModuleConfig(didCommOptions(endpoint)),
    prepare: ({ modules: { didcomm }, dependencyManager }) => {
      for (const middleware of MIDDLEWARE) didcomm.registerMessageHandlerMiddleware(middleware)
      // Credo calls the first handler that supports a message, and registers its own handlers later.
      didcomm.registerMessageHandlers([new DidRotateHandler(), new HangupHandler()])
      dependencyManager.resolve(DidCommFeatureRegistry).register(...UNREGISTERED_FEATURES)
      registerPickup(pickupProtocols(), dependencyManager, (handlers) => didcomm.registerMessageHandlers(handlers))
    },
  }),
)
