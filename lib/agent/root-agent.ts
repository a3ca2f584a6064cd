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
  MultiBaseEncoder,
  Repository,
  type StorageService,
  TypedArrayEncoder,
} from '@credo-ts/core'
import type { DidCommModuleConfig } from '@credo-ts/didcomm'
import { BASE_AGENT } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { currentUnit } from '../store/transaction.ts'
import { TenantContexts } from './tenant-contexts.ts'

type Modules = Record<string, Module>

/** What distinguishes the agents of this service: their modules. */
export interface AgentKind<M extends Modules> {
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

/** The context of the running unit of work's tenant. */
export const contextOfUnit = (contexts: TenantContexts): Promise<AgentContext> => {
  const { tenant } = currentUnit()
  return tenant === BASE_AGENT
    ? Promise.resolve(contexts.root)
    : contexts.getAgentContextForContextCorrelationId(tenant)
}

/** The endpoint of a tenant's agent. */
export const endpointOf = (tenant: string): string =>
  `${settings().PUBLIC_URL}/didcomm${tenant === BASE_AGENT ? '' : `/${tenant}`}`

const start = async <M extends Modules>({ modules, configOf, prepare }: AgentKind<M>): Promise<TenantContexts> => {
  boundBase58()
  silenceRepositories()
  const contexts = new TenantContexts((tenant) => configOf(endpointOf(tenant)))
  const agent = new Agent<M>({
    // Off, because Credo logs messages and keys.
    config: { logger: new ConsoleLogger(LogLevel.off), allowInsecureHttpUrls: settings().LOCAL_STAGE },
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

/** Bytes or characters of a key. An RSA key of 4,096 bits has 526 bytes; 1,024 take 5 ms. */
const MAX_KEY = 1_024

/** Characters of multibase. A did:peer:4 contains its whole document, about 1,000 characters; 4,096 take 10 to 20 ms. */
const MAX_MULTIBASE = 4_096

/** The same function, which throws a CredoError for more than `max` characters or bytes. */
const bounded =
  <Of extends { length: number }, Rest extends unknown[], Result>(
    max: number,
    convert: (of: Of, ...rest: Rest) => Result,
  ): ((of: Of, ...rest: Rest) => Result) =>
  (of, ...rest) => {
    if (of.length > max) throw new CredoError(`base58 of more than ${max} characters or bytes is not converted`)
    return convert(of, ...rest)
  }

/**
 * Bounds Credo's base58, which takes quadratic time: other agents choose the length of the keys and DIDs in messages, attachments and documents of the
 * web. All of Credo's calls look up the functions in these two classes.
 */
export const boundBase58 = (): void => {
  TypedArrayEncoder.fromBase58 = bounded(MAX_KEY, TypedArrayEncoder.fromBase58)
  TypedArrayEncoder.toBase58 = bounded(MAX_KEY, TypedArrayEncoder.toBase58)
  MultiBaseEncoder.decode = bounded(MAX_MULTIBASE, MultiBaseEncoder.decode)
  MultiBaseEncoder.encode = bounded(MAX_MULTIBASE, MultiBaseEncoder.encode)
}

/** Lambda has no file system for Credo to store anything in. */
class NoFileSystem implements FileSystem {
  readonly dataPath = ''
  readonly cachePath = ''
  readonly tempPath = ''

  async exists(): Promise<boolean> {
    return false
  }

  createDirectory = refuse
  copyFile = refuse
  write = refuse
  read = refuse
  delete = refuse
  downloadToFile = refuse
}

async function refuse(): Promise<never> {
  throw new CredoError('this agent has no files, and fetches nothing unguarded')
}

export const agentDependencies: AgentDependencies = {
  FileSystem: NoFileSystem,
  EventEmitterClass: EventEmitter,
  // This agent reads documents of the web through web-documents.ts.
  fetch: refuse,
  // Only used by WebSocket transports, which this agent does not have.
  WebSocketClass: undefined as unknown as AgentDependencies['WebSocketClass'],
}
