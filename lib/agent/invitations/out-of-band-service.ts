/**
 * Credo's out-of-band service (Aries RFC 0434), with handshake reuse for invitations that carry a request, and
 * connectionless answers.
 */
import { type DependencyManager, EventEmitter } from '@credo-ts/core'
import { DidCommDocumentService, DidCommOutOfBandRepository, DidCommOutOfBandService } from '@credo-ts/didcomm'
import {
  implicitInvitation,
  invitationOfKey,
  nameInKeys,
  nameInvitation,
  reuseConnection,
  withKeyIds,
} from './invitations.ts'

type Service = DidCommOutOfBandService

export class AgentOutOfBandService extends DidCommOutOfBandService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(DidCommOutOfBandRepository),
      services.resolve(EventEmitter),
      services.resolve(DidCommDocumentService),
    )
  }

  /** Stores an invitation of this agent. */
  override save(...[agentContext, invitation]: Parameters<Service['save']>) {
    nameInvitation(invitation)
    nameInKeys(agentContext, invitation)
    return super.save(agentContext, invitation)
  }

  /** Nothing listens, and Credo would clone the record. */
  override emitStateChangedEvent() {}

  /** Credo answers a connectionless message with the invitation's key, and does not know the id of a DID's key. */
  override async getResolvedServiceForOutOfBandServices(
    ...parameters: Parameters<Service['getResolvedServiceForOutOfBandServices']>
  ) {
    return withKeyIds(await super.getResolvedServiceForOutOfBandServices(...parameters))
  }

  /** Credo expects one invitation for a key. */
  override findCreatedByRecipientKey(...[agentContext, key]: Parameters<Service['findCreatedByRecipientKey']>) {
    return invitationOfKey(agentContext, key)
  }

  override createFromImplicitInvitation(...parameters: Parameters<Service['createFromImplicitInvitation']>) {
    return implicitInvitation(...parameters)
  }

  /** Credo looks up the record of a request to a DID by its thread. */
  override findByCreatedInvitationId(...[agentContext, id]: Parameters<Service['findByCreatedInvitationId']>) {
    return super.findByCreatedInvitationId(agentContext, id)
  }

  override processHandshakeReuse(...[inbound]: Parameters<Service['processHandshakeReuse']>) {
    return reuseConnection(inbound)
  }
}
