/** Credo's repository of the messages of exchanges, without a read for a new exchange. */
import { type DependencyManager, EventEmitter, InjectionSymbols } from '@credo-ts/core'
import { DidCommMessageRepository } from '@credo-ts/didcomm'
import { credentialRecords, didCommMessageRecords, proofRecords } from '../../records/kinds.ts'
import { tagPartition } from '../../store/index-entries.ts'
import { currentUnit } from '../../store/transaction.ts'
import { tenantOf } from '../credo/index.ts'

export class AgentMessageRepository extends DidCommMessageRepository {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(services.resolve(InjectionSymbols.StorageService), services.resolve(EventEmitter))
  }

  /** If the running unit of work has not read the exchange, it has created it: no message of it is stored. */
  override async saveOrUpdateAgentMessage(
    ...[agentContext, options]: Parameters<DidCommMessageRepository['saveOrUpdateAgentMessage']>
  ) {
    const [unit, tenant, id] = [currentUnit(), tenantOf(agentContext), options.associatedRecordId]
    const isNew = ![credentialRecords, proofRecords].some(({ type }) => unit.hasRead(tenant, type, id))
    if (isNew) unit.assumeEmpty(tagPartition(tenant, didCommMessageRecords, 'associatedRecordId', id))
    await super.saveOrUpdateAgentMessage(agentContext, options)
  }
}
