/** The agent of this process: one root agent, initialized once, and a child of it for each tenant. */
import 'reflect-metadata'
import { Agent, type AgentContext, BaseAgent, ConsoleLogger, LogLevel } from '@credo-ts/core'
import { BASE_AGENT } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { currentUnit } from '../store/transaction.ts'
import { boundBase58 } from './bounded-base58.ts'
import { agentDependencies } from './dependencies.ts'
import { completeRotation, DidRotateHandler, HangupHandler } from './did-rotation.ts'
import { markMessage } from './inbound-marks.ts'
import { type AgentModules, agentModules } from './modules.ts'
import { silenceRepositories } from './quiet-repositories.ts'
import { takeRepeatedComplete } from './repeated-complete.ts'
import { TenantContexts } from './tenant-contexts.ts'
import { guardThread } from './thread-guard.ts'

/** An agent that acts for one tenant. */
export class TenantAgent extends BaseAgent<AgentModules> {
  constructor({ config, dependencyManager }: AgentContext) {
    super(config, dependencyManager)
    // Its root is.
    this._isInitialized = true
  }
}

/** Where other agents reach a tenant's agent. */
export const endpointOf = (tenant: string): string =>
  `${settings().PUBLIC_URL}/didcomm${tenant === BASE_AGENT ? '' : `/${tenant}`}`

const start = async (): Promise<TenantContexts> => {
  boundBase58()
  silenceRepositories()
  const contexts = new TenantContexts(endpointOf)
  const agent = new Agent({
    // Credo's log holds messages and keys.
    config: { logger: new ConsoleLogger(LogLevel.off), allowInsecureHttpUrls: settings().LOCAL_STAGE },
    dependencies: agentDependencies,
    modules: agentModules(endpointOf(BASE_AGENT), contexts),
  })
  contexts.root = agent.context
  const { didcomm } = agent.modules
  for (const middleware of [markMessage, completeRotation, guardThread, takeRepeatedComplete])
    didcomm.registerMessageHandlerMiddleware(middleware)
  // Credo calls the first handler that knows a message, and registers its own later.
  didcomm.registerMessageHandlers([new DidRotateHandler(), new HangupHandler()])
  await agent.initialize()
  return contexts
}

let started: Promise<TenantContexts> | undefined

/** The contexts of this process's agent, which is started on the first call. */
export const agentContexts = (): Promise<TenantContexts> => {
  started ??= start().catch((error) => {
    started = undefined
    throw error
  })
  return started
}

/** One for each context, for as long as that is kept. */
const agents = new WeakMap<AgentContext, TenantAgent>()

/** The agent of the tenant that the running unit of work is for. */
export const currentAgent = async (): Promise<TenantAgent> => {
  const contexts = await agentContexts()
  const { tenant } = currentUnit()
  const context = tenant === BASE_AGENT ? contexts.root : await contexts.getAgentContextForContextCorrelationId(tenant)
  const known = agents.get(context)
  if (known !== undefined) return known
  const agent = new TenantAgent(context)
  agents.set(context, agent)
  return agent
}
