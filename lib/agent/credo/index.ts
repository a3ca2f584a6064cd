/** Credo's agent with the unit of work as storage: its start, tenants' contexts, and the current agent. */
export {
  type AgentModules,
  agentContexts,
  currentAgent,
  currentContext,
  currentMessage,
  provideAgent,
  provideSendingAgent,
  TenantAgent,
} from './current.ts'
export { AgentFeatureRegistry, UNREGISTERED_FEATURES } from './feature-registry.ts'
export { agentOf, endpointOf } from './root-agent.ts'
export { storedForm, toStored, UnitOfWorkStorageService } from './storage-service.ts'
export { tenantOf } from './tenant-contexts.ts'
