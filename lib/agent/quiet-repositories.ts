/** Credo's repositories without their events: nobody listens to them in this agent, and each costs a deep copy of its record. */
import { type AgentContext, type BaseRecord, InjectionSymbols, Repository, type StorageService } from '@credo-ts/core'

const storageOf = (agentContext: AgentContext): StorageService<BaseRecord> =>
  agentContext.resolve(InjectionSymbols.StorageService)

/** All of Credo's repositories inherit these two functions. */
export const silenceRepositories = (): void => {
  Repository.prototype.save = (agentContext, record) => storageOf(agentContext).save(agentContext, record)
  Repository.prototype.update = (agentContext, record) => storageOf(agentContext).update(agentContext, record)
}
