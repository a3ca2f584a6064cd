/** Tenants' contexts: child containers of Credo, created on demand. */

import { AgentConfig, AgentContext, type AgentContextProvider, CredoError } from '@credo-ts/core'
import { DidCommModuleConfig } from '@credo-ts/didcomm'
import { Bounded } from '../../bounded.ts'
import { BASE_AGENT } from '../../records/tenant.ts'

/** Maximum number of contexts in memory. Creating one takes well under a millisecond. */
const MAX_CONTEXTS = 50

export class TenantContexts implements AgentContextProvider {
  readonly #contexts = new Bounded<string, Promise<AgentContext>>(MAX_CONTEXTS)
  /** The DIDComm configuration of a tenant. */
  readonly #configOf: (tenant: string) => DidCommModuleConfig
  #root: AgentContext | undefined

  constructor(configOf: (tenant: string) => DidCommModuleConfig) {
    this.#configOf = configOf
  }

  get root(): AgentContext {
    if (this.#root === undefined) throw new CredoError('the root agent has not started')
    return this.#root
  }

  set root(context: AgentContext) {
    this.#root = context
  }

  /** Inbound messages carry the tenant of their request path. */
  async getContextForInboundMessage(
    _message: unknown,
    { contextCorrelationId }: { contextCorrelationId?: string } = {},
  ): Promise<AgentContext> {
    return contextCorrelationId === undefined
      ? this.root
      : this.getAgentContextForContextCorrelationId(contextCorrelationId)
  }

  getAgentContextForContextCorrelationId(id: string): Promise<AgentContext> {
    if (id === this.root.contextCorrelationId) return Promise.resolve(this.root)
    return this.#contexts.get(id) ?? this.#contexts.set(id, this.#make(id))
  }

  async endSessionForAgentContext(): Promise<void> {}

  async deleteAgentContext({ contextCorrelationId }: AgentContext): Promise<void> {
    this.#contexts.delete(contextCorrelationId)
  }

  async #make(id: string): Promise<AgentContext> {
    const dependencyManager = this.root.dependencyManager.createChild()
    const context = new AgentContext({ contextCorrelationId: id, dependencyManager, isRootAgentContext: false })
    dependencyManager.registerInstance(AgentContext, context)
    dependencyManager.registerInstance(AgentConfig, this.root.config.extend({}))
    dependencyManager.registerInstance(DidCommModuleConfig, this.#configOf(id))
    await dependencyManager.initializeAgentContext(context)
    return context
  }
}

export const tenantOf = ({ isRootAgentContext, contextCorrelationId }: AgentContext): string =>
  isRootAgentContext ? BASE_AGENT : contextCorrelationId
