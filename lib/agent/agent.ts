/** The agent with all protocols: connections, basic messages, credentials, proofs. A process has one, and each tenant a child context of it. */
// Must be first: Credo's AnonCreds copies the reference to the library when it is imported.
import './anoncreds/library.ts'
import { AnonCredsModule } from '@credo-ts/anoncreds'
import {
  type AgentContext,
  type AgentContextProvider,
  BaseAgent,
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
import { anoncreds } from './anoncreds/library.ts'
import { registries } from './anoncreds/registries.ts'
import { TailsFiles } from './anoncreds/tails-files.ts'
import { ConnectionService } from './connections/connection-service.ts'
import { completeByMessage, DidExchange, takeRepeatedComplete } from './connections/did-exchange.ts'
import { completeRotation, DidRotateHandler, HangupHandler } from './connections/did-rotation.ts'
import { credentialProtocols } from './credentials/protocols.ts'
import { EnvelopeService } from './envelopes/open-envelope.ts'
import { handlesMessage, markMessage } from './inbox.ts'
import { Dispatcher } from './invitations/attached-requests.ts'
import { OutOfBandService } from './invitations/out-of-band-service.ts'
import { w3cCredentials } from './json-ld/document-loader.ts'
import { signatureSuites } from './json-ld/signature-suites.ts'
import { KeyManagementService } from './keys/key-management-service.ts'
import { registerPickup } from './pickup-protocols.ts'
import { PickupQueue } from './pickup-queue.ts'
import { commonOptions, keys, platformModules } from './platform.ts'
import { logProblemReports, MessageHandlerRegistry } from './problem-reports.ts'
import { proofProtocols } from './proofs/protocols.ts'
import { StrictQuestionAnswerService } from './question-answer-service.ts'
import { agentOf, contextOfUnit } from './root-agent.ts'
import { guardThread } from './thread-guard.ts'
import { boundDocuments } from './web-documents.ts'

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
    kms: new Kms.KeyManagementModule({ backends: [new KeyManagementService(keys)] }),
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
    container.register(DidCommEnvelopeService, { useFactory: (services) => new EnvelopeService(services, keys) })
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

/** The contexts of the process's agent. The first call starts the agent. */
export const agentContexts = agentOf({
  modules: agentModules,
  configOf: (endpoint) => new DidCommModuleConfig(didCommOptions(endpoint)),
  prepare: ({ modules: { didcomm }, dependencyManager }) => {
    for (const middleware of MIDDLEWARE) didcomm.registerMessageHandlerMiddleware(middleware)
    // Credo calls the first handler that supports a message, and registers its own handlers later.
    didcomm.registerMessageHandlers([new DidRotateHandler(), new HangupHandler()])
    registerPickup(dependencyManager, (handlers) => didcomm.registerMessageHandlers(handlers))
  },
})

/** An agent that acts for one tenant. */
export class TenantAgent extends BaseAgent<ReturnType<typeof agentModules>> {
  constructor({ config, dependencyManager }: AgentContext) {
    super(config, dependencyManager)
    // Initialized with the root agent.
    this._isInitialized = true
  }
}

/** Agents by context, and garbage-collected with it. */
const agents = new WeakMap<AgentContext, TenantAgent>()

/** The agent of the tenant that the running unit of work is for. */
export const currentAgent = async (): Promise<TenantAgent> => {
  const context = await contextOfUnit(await agentContexts())
  const known = agents.get(context)
  if (known !== undefined) return known
  const agent = new TenantAgent(context)
  agents.set(context, agent)
  return agent
}
