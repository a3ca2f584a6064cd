/** Attachment formats of AnonCreds proofs (Aries RFC 0037, 0592, 0771): Credo's, with our verification. */
import { AnonCredsDidCommProofFormatService, LegacyIndyDidCommProofFormatService } from '@credo-ts/anoncreds'
import { defined } from '../../../json.ts'
import { inBothOrders, proofResponse, withWholeIntervals } from './proof-messages.ts'
import { verifyReceived } from './received-presentation.ts'

type Indy = LegacyIndyDidCommProofFormatService
type AnonCreds = AnonCredsDidCommProofFormatService

export class IndyProofFormat extends LegacyIndyDidCommProofFormatService {
  override createRequest(...[agentContext, options]: Parameters<Indy['createRequest']>) {
    const { indy } = options.proofFormats
    return super.createRequest(agentContext, { ...options, proofFormats: defined({ indy: withWholeIntervals(indy) }) })
  }

  override processPresentation(...[agentContext, options]: Parameters<Indy['processPresentation']>) {
    return verifyReceived(agentContext, options)
  }

  override acceptRequest(...[agentContext, options]: Parameters<Indy['acceptRequest']>) {
    return proofResponse(this, agentContext, options, (indy, requestAttachment) =>
      super.acceptRequest(agentContext, { ...options, requestAttachment, proofFormats: { indy } }),
    )
  }

  override shouldAutoRespondToRequest(
    ...[agentContext, options]: Parameters<Indy['shouldAutoRespondToRequest']>
  ): Promise<boolean> {
    return inBothOrders(options, (compared) => super.shouldAutoRespondToRequest(agentContext, compared))
  }
}

export class AnonCredsProofFormat extends AnonCredsDidCommProofFormatService {
  override createRequest(...[agentContext, options]: Parameters<AnonCreds['createRequest']>) {
    const { anoncreds } = options.proofFormats
    return super.createRequest(agentContext, {
      ...options,
      proofFormats: defined({ anoncreds: withWholeIntervals(anoncreds) }),
    })
  }

  override processPresentation(...[agentContext, options]: Parameters<AnonCreds['processPresentation']>) {
    return verifyReceived(agentContext, options)
  }

  override acceptRequest(...[agentContext, options]: Parameters<AnonCreds['acceptRequest']>) {
    return proofResponse(this, agentContext, options, (anoncreds, requestAttachment) =>
      super.acceptRequest(agentContext, { ...options, requestAttachment, proofFormats: { anoncreds } }),
    )
  }

  override shouldAutoRespondToRequest(
    ...[agentContext, options]: Parameters<AnonCreds['shouldAutoRespondToRequest']>
  ): Promise<boolean> {
    return inBothOrders(options, (compared) => super.shouldAutoRespondToRequest(agentContext, compared))
  }
}
