/**
 * The present-proof protocols (Aries RFC 0037 and 0454). Without the AnonCreds library, AnonCreds presentations are not
 * verified.
 */
import {
  type DidCommPresentationV1Message,
  DidCommProofV1Protocol,
  type DidCommRequestPresentationV1Message,
  INDY_PROOF_ATTACHMENT_ID,
  INDY_PROOF_REQUEST_ATTACHMENT_ID,
} from '@credo-ts/anoncreds'
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  type DidCommAttachment,
  DidCommAutoAcceptProof,
  type DidCommPresentationV2Message,
  type DidCommProofExchangeRecord,
  DidCommProofsModuleConfig,
  DidCommProofV2Protocol,
  type DidCommRequestPresentationV2Message,
} from '@credo-ts/didcomm'
import { AnonCredsProofFormat, IndyProofFormat } from '../../formats/anoncreds/index.ts'
import { PresentationExchangeFormat } from '../../formats/presentation-exchange/index.ts'
import { attachedOf } from '../index.ts'
import { isAsProposed, renameToRequested, storeRejected } from './attached-formats.ts'
import { type Attached, type ProofChecks, proofChecks } from './checks.ts'

type V1 = DidCommProofV1Protocol

class ProofV1Protocol extends DidCommProofV1Protocol {
  readonly checks: ProofChecks<DidCommRequestPresentationV1Message, DidCommPresentationV1Message>

  constructor(indyProofFormat: IndyProofFormat) {
    super({ indyProofFormat })
    const attached = (attachment: DidCommAttachment | undefined): Attached[] =>
      attachment === undefined
        ? []
        : [{ format: indyProofFormat, attachment, response: { attachmentId: INDY_PROOF_ATTACHMENT_ID } }]
    this.checks = proofChecks(this, {
      request: (message) => attached(message.getRequestAttachmentById(INDY_PROOF_REQUEST_ATTACHMENT_ID)),
      presentation: (message) => attached(message.getPresentationAttachmentById(INDY_PROOF_ATTACHMENT_ID)),
    })
  }

  override async processPresentation(...[inbound]: Parameters<V1['processPresentation']>) {
    return this.checks.processPresentation(inbound, () => super.processPresentation(inbound))
  }

  /** Never, whatever `autoAcceptProof` says: the tenant decides what it requests, not a wallet. */
  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  override async shouldAutoRespondToRequest(...[agentContext, options]: Parameters<V1['shouldAutoRespondToRequest']>) {
    return this.checks.shouldAutoRespondToRequest(agentContext, options, () => {
      const proofRecord = contentApproved(options.proofRecord)
      return super.shouldAutoRespondToRequest(agentContext, { ...options, proofRecord })
    })
  }

  override async shouldAutoRespondToPresentation(...parameters: Parameters<V1['shouldAutoRespondToPresentation']>) {
    return mayAcknowledge(parameters[1]) && super.shouldAutoRespondToPresentation(...parameters)
  }
}

interface Presented {
  proofRecord: DidCommProofExchangeRecord
  presentationMessage: Pick<DidCommPresentationV2Message, 'service'>
}

/**
 * Whether a presentation is verified and can be acknowledged: without a connection only if the message has a service.
 * Otherwise Credo throws, and the presentation would be lost.
 */
const mayAcknowledge = ({ proofRecord: { isVerified, connectionId }, presentationMessage }: Presented): boolean =>
  isVerified === true && (connectionId !== undefined || presentationMessage.service !== undefined)

/** Makes Credo compare the request with the proposal, which it does for `contentApproved` only. */
const contentApproved = (record: DidCommProofExchangeRecord): DidCommProofExchangeRecord => {
  const proofRecord = record.clone() as DidCommProofExchangeRecord
  proofRecord.autoAcceptProof = DidCommAutoAcceptProof.ContentApproved
  return proofRecord
}

type ProofFormats = [IndyProofFormat, AnonCredsProofFormat, PresentationExchangeFormat]
type V2 = DidCommProofV2Protocol<ProofFormats>

class ProofV2Protocol extends DidCommProofV2Protocol<ProofFormats> {
  readonly checks: ProofChecks<DidCommRequestPresentationV2Message, DidCommPresentationV2Message>
  readonly #formats: ProofFormats

  constructor(proofFormats: ProofFormats) {
    super({ proofFormats })
    this.#formats = proofFormats
    this.checks = proofChecks(this, {
      request: ({ formats, requestAttachments }) => attachedOf(proofFormats, formats, requestAttachments),
      presentation: ({ formats, presentationAttachments }) =>
        attachedOf(proofFormats, formats, presentationAttachments),
    })
  }

  /** Nothing listens, and Credo would clone the record. */
  override emitStateChangedEvent() {}

  override async processPresentation(...[inbound]: Parameters<V2['processPresentation']>) {
    return this.checks.processPresentation(
      inbound,
      async () => {
        await renameToRequested(inbound, await this.checks.verifierRecord(inbound))
        return super.processPresentation(inbound)
      },
      (proofRecord) => storeRejected(inbound, proofRecord),
    )
  }

  /** Never, whatever `autoAcceptProof` says: the tenant decides what it requests, not a wallet. */
  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  override async shouldAutoRespondToRequest(...[agentContext, options]: Parameters<V2['shouldAutoRespondToRequest']>) {
    const { proofRecord, requestMessage } = options
    return this.checks.shouldAutoRespondToRequest(agentContext, options, async () => {
      const proposal = await this.findProposalMessage(agentContext, proofRecord.id)
      if (proposal === null) return false
      const { formats, requestAttachments } = requestMessage
      const requested = attachedOf(this.#formats, formats, requestAttachments)
      const proposed = attachedOf(this.#formats, proposal.formats, proposal.proposalAttachments)
      return isAsProposed(agentContext, proofRecord, requested, proposed)
    })
  }

  /** Credo throws if a wallet answers only some of the requested formats. Such a presentation waits for an API call. */
  override async shouldAutoRespondToPresentation(...parameters: Parameters<V2['shouldAutoRespondToPresentation']>) {
    if (!mayAcknowledge(parameters[1])) return false
    try {
      return await super.shouldAutoRespondToPresentation(...parameters)
    } catch (error) {
      if (error instanceof CredoError) return false
      throw error
    }
  }
}

export const proofProtocols = (): [ProofV1Protocol, ProofV2Protocol] => {
  const indy = new IndyProofFormat()
  return [
    new ProofV1Protocol(indy),
    new ProofV2Protocol([indy, new AnonCredsProofFormat(), new PresentationExchangeFormat()]),
  ]
}

/** The checks of an exchange's protocol. */
export const proofChecksOf = (agentContext: AgentContext, { protocolVersion }: DidCommProofExchangeRecord) => {
  const { proofProtocols } = agentContext.resolve(DidCommProofsModuleConfig)
  const protocol = proofProtocols.find(({ version }) => version === protocolVersion)
  if (protocol instanceof ProofV1Protocol || protocol instanceof ProofV2Protocol) return protocol.checks
  throw new TypeError('an exchange of an unknown protocol')
}
