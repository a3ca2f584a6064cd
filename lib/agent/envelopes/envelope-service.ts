/** Credo's envelope service with the agent's keys: one that only packs, and one that also unpacks. */
import { type DependencyManager, InjectionSymbols } from '@credo-ts/core'
import { DidCommDocumentService, DidCommEnvelopeService } from '@credo-ts/didcomm'
import type { SealedKeyStore } from '../keys/index.ts'
import { packMessage } from './pack-envelope.ts'
import { unpackMessage } from './unpack-envelope.ts'

type Arguments<Name extends 'packMessage' | 'unpackMessage'> = Parameters<DidCommEnvelopeService[Name]>

/** For agents that only send. */
export class AgentPackingService extends DidCommEnvelopeService {
  readonly keys: Pick<SealedKeyStore, 'first' | 'get'>

  constructor(services: Pick<DependencyManager, 'resolve'>, keys: AgentPackingService['keys']) {
    super(services.resolve(InjectionSymbols.Logger), services.resolve(DidCommDocumentService))
    this.keys = keys
  }

  override async packMessage(...[agentContext, message, keys]: Arguments<'packMessage'>) {
    return packMessage(agentContext, message, keys, this.keys)
  }
}

export class AgentEnvelopeService extends AgentPackingService {
  override async unpackMessage(...[agentContext, envelope]: Arguments<'unpackMessage'>) {
    return unpackMessage(agentContext, envelope, this.keys)
  }
}
