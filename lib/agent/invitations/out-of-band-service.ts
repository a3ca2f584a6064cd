/**
 * Credo's out-of-band service (Aries RFC 0434), with handshake reuse for invitations that carry a request, and
 * connectionless answers.
 */
import { type DependencyManager, EventEmitter } from '@credo-ts/core'
import { DidCommDocumentService, DidCommOutOfBandRepository, DidCommOutOfBandService } from '@credo-ts/didcomm'
import {
  addInvitationToKeys,
  applyInvitationId,
  implicitInvitation,
  invitationOfKey,
  lastReceived,
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
    applyInvitationId(invitation)
    addInvitationToKeys(agentContext, invitation)
    return super.save(agentContext, invitation)
  }

  /** Nothing listens, and Credo would clone the record. */
  override emitStateChangedEvent() {}

  /**
   * The first usable service: they are alternatives, and Credo fails at the first DID that does not resolve. Adds the
   * ids of keys: Credo answers a connectionless message with the invitation's key, but does not know the id of a DID's
   * key.
   */
  override async getResolvedServiceForOutOfBandServices(
    ...[agentContext, [first, ...others], keys]: Parameters<Service['getResolvedServiceForOutOfBandServices']>
  ): ReturnType<Service['getResolvedServiceForOutOfBandServices']> {
    try {
      const services = first === undefined ? [] : [first]
      return withKeyIds(await super.getResolvedServiceForOutOfBandServices(agentContext, services, keys))
    } catch (error) {
      if (others.length === 0) throw error
      return this.getResolvedServiceForOutOfBandServices(agentContext, others, keys)
    }
  }

  /** Several invitations may have one key, which Credo does not expect. */
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

  /** An invitation may have been received again; Credo expects one record. */
  override findByReceivedInvitationId(...[agentContext, id]: Parameters<Service['findByReceivedInvitationId']>) {
    return lastReceived(agentContext, id)
  }

  override processHandshakeReuse(...[inbound]: Parameters<Service['processHandshakeReuse']>) {
    return reuseConnection(inbound)
  }
}
