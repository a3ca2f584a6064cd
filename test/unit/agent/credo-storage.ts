/** The storage service for tests, free of the generics of Credo's records. */
import {
  AgentContext,
  CacheModuleConfig,
  DependencyManager,
  EventEmitter,
  InjectionSymbols,
  InMemoryLruCache,
} from '@credo-ts/core'
import { UnitOfWorkStorageService } from '../../../lib/agent/credo/storage-service.ts'
import type { AnyRecord, RecordClass } from './credo-records.ts'

/** The service without the generics of Credo's records, which have no type in common. */
export interface Storage {
  save(context: AgentContext, record: AnyRecord): Promise<void>
  update(context: AgentContext, record: AnyRecord): Promise<void>
  delete(context: AgentContext, record: AnyRecord): Promise<void>
  deleteById(context: AgentContext, type: RecordClass, id: string): Promise<void>
  getById<T extends AnyRecord>(context: AgentContext, type: RecordClass<T>, id: string): Promise<T>
  getAll<T extends AnyRecord>(context: AgentContext, type: RecordClass<T>): Promise<T[]>
  findByQuery<T extends AnyRecord>(
    context: AgentContext,
    type: RecordClass<T>,
    query: object,
    options?: { limit?: number; offset?: number },
  ): Promise<T[]>
}

const service = new UnitOfWorkStorageService()
export const storage = service as unknown as Storage

/** An agent that another file has started in this process has Credo's repositories look for the storage in the context. */
export const contextOf = (tenant: string, isRootAgentContext = false): AgentContext => {
  const dependencyManager = new DependencyManager()
  dependencyManager.registerInstance(InjectionSymbols.StorageService, service)
  const cache = new InMemoryLruCache({ limit: 1 })
  dependencyManager.registerInstance(
    CacheModuleConfig,
    new CacheModuleConfig({ cache, useCachedStorageService: false }),
  )
  return new AgentContext({ contextCorrelationId: tenant, dependencyManager, isRootAgentContext })
}

/** Dependencies of Credo's repositories. */
export const repositoryServices = (): DependencyManager => {
  const services = new DependencyManager()
  services.registerInstance(InjectionSymbols.StorageService, service)
  services.registerInstance(EventEmitter, { emit: () => {} } as unknown as EventEmitter)
  return services
}

export const idsOf = (records: AnyRecord[]): string[] => records.map(({ id }) => id)
