/** The current tenant's agent. A function imports `compose.ts` or `compose-sending.ts`, which provides it. */
import type {
  AnonCredsDidCommCredentialFormatService,
  AnonCredsDidCommProofFormatService,
  AnonCredsModule,
  DidCommCredentialV1Protocol,
  DidCommProofV1Protocol,
  LegacyIndyDidCommCredentialFormatService,
  LegacyIndyDidCommProofFormatService,
} from '@credo-ts/anoncreds'
import { type AgentContext, BaseAgent, type DidsModule } from '@credo-ts/core'
import type {
  DidCommCredentialV2Protocol,
  DidCommDifPresentationExchangeProofFormatService,
  DidCommJsonLdCredentialFormatService,
  DidCommModule,
  DidCommModuleConfigOptions,
  DidCommProofV2Protocol,
} from '@credo-ts/didcomm'
import { BASE_AGENT } from '../../records/tenant.ts'
import { currentUnit } from '../../store/transaction.ts'
import type { TenantContexts } from './tenant-contexts.ts'

/** Starts the process's agent at its first call. */
type StartAgent = () => Promise<TenantContexts>

let startAgent: StartAgent | undefined

/** Called by the compose files. */
export const provideAgent = (start: StartAgent): void => {
  startAgent = start
}

/** Does not replace an agent that was provided before: the agent with all protocols also sends. */
export const provideSendingAgent = (start: StartAgent): void => {
  startAgent ??= start
}

/** The contexts of the process's agent. The first call starts the agent. */
export const agentContexts = async (): Promise<TenantContexts> => {
  if (startAgent === undefined) throw new TypeError('a function that uses the agent must import lib/agent/compose.ts')
  return startAgent()
}

/** The context of the running unit of work's tenant. */
export const currentContext = async (): Promise<AgentContext> => {
  const contexts = await agentContexts()
  const { tenant } = currentUnit()
  return tenant === BASE_AGENT ? contexts.root : contexts.getAgentContextForContextCorrelationId(tenant)
}

interface DidCommOptions extends DidCommModuleConfigOptions {
  credentials: {
    credentialProtocols: [
      DidCommCredentialV1Protocol,
      DidCommCredentialV2Protocol<
        [
          DidCommJsonLdCredentialFormatService,
          AnonCredsDidCommCredentialFormatService,
          LegacyIndyDidCommCredentialFormatService,
        ]
      >,
    ]
  }
  proofs: {
    proofProtocols: [
      DidCommProofV1Protocol,
      DidCommProofV2Protocol<
        [
          LegacyIndyDidCommProofFormatService,
          AnonCredsDidCommProofFormatService,
          DidCommDifPresentationExchangeProofFormatService,
        ]
      >,
    ]
  }
}

/** Credo's modules that API calls use. */
export type AgentModules = {
  dids: DidsModule
  didcomm: DidCommModule<DidCommOptions>
  anoncreds: AnonCredsModule
}

/** An agent that acts for one tenant. */
export class TenantAgent extends BaseAgent<AgentModules> {
  constructor({ config, dependencyManager }: AgentContext) {
    super(config, dependencyManager)
    // Initialized with the root agent.
    this._isInitialized = true
  }
}

/** Agents by context, and garbage-collected with it. */
const agents = new WeakMap<AgentContext, TenantAgent>()

/** The agent of the running unit of work's tenant. Requires `compose.ts`. */
export const currentAgent = async (): Promise<TenantAgent> => {
  const context = await currentContext()
  const known = agents.get(context)
  if (known !== undefined) return known
  const agent = new TenantAgent(context)
  agents.set(context, agent)
  return agent
}

const MESSAGE = Symbol('the inbound message')

/**
 * State of the inbound message of the running unit of work. An unsolicited message continues no exchange: it may come
 * from an unknown sender, and name hosts that never respond.
 */
export const currentMessage = () => currentUnit().moduleState(MESSAGE, () => ({ isUnsolicited: false }))
