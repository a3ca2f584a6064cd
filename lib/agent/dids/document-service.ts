/** Credo's service that finds the services of a DID, with a queue for a document that has no service. */
import { type DependencyManager, DidRepository, DidResolverService } from '@credo-ts/core'
import { DidCommDocumentService } from '@credo-ts/didcomm'
import { freshServiceOf } from './dids.ts'
import { servicesOrQueue } from './their-services.ts'

export class AgentDocumentService extends DidCommDocumentService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(services.resolve(DidResolverService), services.resolve(DidRepository))
  }

  override async resolveServicesFromDid(
    ...[agentContext, did]: Parameters<DidCommDocumentService['resolveServicesFromDid']>
  ) {
    const fresh = freshServiceOf(did)
    if (fresh !== undefined) return [fresh]
    return servicesOrQueue(agentContext, did, await super.resolveServicesFromDid(agentContext, did))
  }
}
