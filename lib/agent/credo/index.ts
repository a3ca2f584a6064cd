/** Credo on the unit of work: its start, contexts of tenants, storage, and the agent that is running. */
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
