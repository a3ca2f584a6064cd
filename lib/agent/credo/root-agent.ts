/** Starts Credo's root agent, once in a process. Each tenant has a child context of it. */
import 'reflect-metadata'
import { EventEmitter } from 'node:events'
import {
  Agent,
  type AgentContext,
  type AgentContextProvider,
  type AgentDependencies,
  type BaseRecord,
  ConsoleLogger,
  CredoError,
  type FileSystem,
  InjectionSymbols,
  LogLevel,
  type Module,
  Repository,
  type StorageService,
} from '@credo-ts/core'
import type { DidCommModuleConfig } from '@credo-ts/didcomm'
import { BASE_AGENT } from '../../records/tenant.ts'
import { settings } from '../../settings.ts'
import { TenantContexts } from './tenant-contexts.ts'
import { cacheValidationRules } from './validation-rules.ts'

type Modules = Record<string, Module>

/** The options that distinguish the two agents of this service: their modules. */
interface AgentKind<M extends Modules> {
  modules(endpoint: string, contexts: AgentContextProvider): M
  /** The DIDComm configuration of a tenant. Its endpoint differs from the root's. */
  configOf(endpoint: string): DidCommModuleConfig
  /** Called with the root agent before its initialization. */
  prepare?(agent: Agent<M>): void
}

/** Returns a function for the contexts of the process's agent of this kind. Its first call starts the agent. */
export const agentOf = <M extends Modules>(kind: AgentKind<M>): (() => Promise<TenantContexts>) => {
  let started: Promise<TenantContexts> | undefined
  return () => {
    started ??= start(kind).catch((error) => {
      started = undefined
      throw error
    })
    return started
  }
}

/** The endpoint of a tenant's agent. */
export const endpointOf = (tenant: string): string =>
  `${settings().PUBLIC_URL}/didcomm${tenant === BASE_AGENT ? '' : `/${tenant}`}`

const start = async <M extends Modules>({ modules, configOf, prepare }: AgentKind<M>): Promise<TenantContexts> => {
  silenceRepositories()
  cacheValidationRules()
  const contexts = new TenantContexts((tenant) => configOf(endpointOf(tenant)))
  const agent = new Agent<M>({
    // Off, because Credo logs messages and keys.
    config: { logger: new ConsoleLogger(LogLevel.off) },
    dependencies: agentDependencies,
    modules: modules(endpointOf(BASE_AGENT), contexts),
  })
  contexts.root = agent.context
  prepare?.(agent)
  await agent.initialize()
  return contexts
}

const storageOf = (agentContext: AgentContext): StorageService<BaseRecord> =>
  agentContext.resolve(InjectionSymbols.StorageService)

/** Turns off repository events: nothing listens to them, and each costs a deep copy of the record. */
const silenceRepositories = (): void => {
  Repository.prototype.save = (agentContext, record) => storageOf(agentContext).save(agentContext, record)
  Repository.prototype.update = (agentContext, record) => storageOf(agentContext).update(agentContext, record)
}

/** Lambda has no file system for Credo to store anything in. */
class NoFileSystem implements FileSystem {
  readonly dataPath = ''
  readonly cachePath = ''
  readonly tempPath = ''

  async exists(): Promise<boolean> {
    return false
  }

  createDirectory = rejectAccess
  copyFile = rejectAccess
  write = rejectAccess
  read = rejectAccess
  delete = rejectAccess
  downloadToFile = rejectAccess
}

async function rejectAccess(): Promise<never> {
  throw new CredoError('this agent has no files, and fetches only through the address guard')
}

export const agentDependencies: AgentDependencies = {
  FileSystem: NoFileSystem,
  EventEmitterClass: EventEmitter,
  // This agent reads documents of the web through web-documents.ts.
  fetch: rejectAccess,
  // Only used by WebSocket transports, which this agent does not have.
  WebSocketClass: undefined as unknown as AgentDependencies['WebSocketClass'],
}
