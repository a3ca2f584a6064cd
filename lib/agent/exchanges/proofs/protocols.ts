/** The present-proof protocols. If a deployment has no AnonCreds library, AnonCreds presentations are received but not verified. */
import {
  DidCommPresentationV1ProblemReportError,
  DidCommProofV1Protocol,
  INDY_PROOF_ATTACHMENT_ID,
  INDY_PROOF_REQUEST_ATTACHMENT_ID,
} from '@credo-ts/anoncreds'
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  type DidCommAttachment,
  DidCommAutoAcceptProof,
  type DidCommInboundMessageContext,
  DidCommMessageRepository,
  DidCommMessageRole,
  DidCommPresentationProblemReportReason,
  type DidCommPresentationV2Message,
  type DidCommProofExchangeRecord,
  type DidCommProofFormatSpec,
  DidCommProofRole,
  DidCommProofsModuleConfig,
  DidCommProofV2Protocol,
  DidCommRequestPresentationV2Message,
  V2PresentationProblemReportError,
} from '@credo-ts/didcomm'
import { AnonCredsProofFormat, IndyProofFormat } from '../../formats/anoncreds/index.ts'
import { PresentationExchangeFormat } from '../../formats/presentation-exchange/index.ts'
import { autoAccept, canRespond } from '../index.ts'
import { verifiedOrLater } from './verify-later.ts'

/** Makes Credo compare the request with the proposal, which it does for `contentApproved` only. */
const asProposed = <Options extends { proofRecord: DidCommProofExchangeRecord }>(options: Options): Options => {
  const proofRecord = options.proofRecord.clone() as DidCommProofExchangeRecord
  proofRecord.autoAcceptProof = DidCommAutoAcceptProof.ContentApproved
  return { ...options, proofRecord }
}

/**
 * Whether a request is answered without an API call: if the agent's settings say so, or if it matches this agent's own proposal. `always` in a
 * proposal means no more than that, since a verifier could request anything.
 */
const mayAutoRespond = async (
  { autoAcceptProof }: DidCommProofExchangeRecord,
  isAsProposed: () => Promise<boolean>,
): Promise<boolean> => {
  if (autoAcceptProof === DidCommAutoAcceptProof.Never) return false
  if (autoAcceptProof !== undefined && (await isAsProposed())) return true
  return (await autoAccept()).proofRequests
}

/** Finds messages of an exchange. */
interface Messages<Request, Presentation> {
  findRequestMessage(agentContext: AgentContext, proofRecordId: string): Promise<Request | null>
  findPresentationMessage(agentContext: AgentContext, proofRecordId: string): Promise<Presentation | null>
}

/** The request and the presentation of an exchange in which both were stored. */
const messagesOf = async <Request, Presentation>(
  protocol: Messages<Request, Presentation>,
  agentContext: AgentContext,
  { id }: DidCommProofExchangeRecord,
): Promise<{ request: Request; presentation: Presentation }> => {
  const request = await protocol.findRequestMessage(agentContext, id)
  const presentation = await protocol.findPresentationMessage(agentContext, id)
  if (request === null || presentation === null) throw new TypeError('a message of the exchange is missing')
  return { request, presentation }
}

type ProcessV1 = Parameters<DidCommProofV1Protocol['processPresentation']>

class ProofV1Protocol extends DidCommProofV1Protocol {
  readonly #indy: IndyProofFormat

  constructor(indyProofFormat: IndyProofFormat) {
    super({ indyProofFormat })
    this.#indy = indyProofFormat
  }

  /** Throws a problem report for a malformed preview: Credo accepts one whose parts are no lists. */
  override async processProposal(...[messageContext]: Parameters<DidCommProofV1Protocol['processProposal']>) {
    const { attributes, predicates } = messageContext.message.presentationProposal
    if (![attributes, predicates].every(Array.isArray))
      throw new DidCommPresentationV1ProblemReportError('attributes or predicates are no list', {
        problemCode: DidCommPresentationProblemReportReason.Abandoned,
      })
    return super.processProposal(messageContext)
  }

  override async processPresentation(...[messageContext]: ProcessV1) {
    const proofRecord = await this.#process(messageContext)
    return verifiedOrLater(messageContext.agentContext, proofRecord)
  }

  async verifyAgain(agentContext: AgentContext, proofRecord: DidCommProofExchangeRecord): Promise<void> {
    const { request, presentation } = await messagesOf(this, agentContext, proofRecord)
    const requestAttachment = request.getRequestAttachmentById(INDY_PROOF_REQUEST_ATTACHMENT_ID)
    const attachment = presentation.getPresentationAttachmentById(INDY_PROOF_ATTACHMENT_ID)
    if (requestAttachment === undefined || attachment === undefined) throw new TypeError('an attachment is missing')
    await this.#indy.processPresentation(agentContext, { proofRecord, requestAttachment, attachment })
  }

  async isAcceptedAutomatically(agentContext: AgentContext, proofRecord: DidCommProofExchangeRecord): Promise<boolean> {
    const { presentation: presentationMessage } = await messagesOf(this, agentContext, proofRecord)
    return this.shouldAutoRespondToPresentation(agentContext, { proofRecord, presentationMessage })
  }

  /** Without a connection no problem report can be sent. The proof is abandoned, and the message counts as handled. */
  async #process(messageContext: ProcessV1[0]) {
    const { agentContext, connection, message } = messageContext
    try {
      return await super.processPresentation(messageContext)
    } catch (error) {
      if (connection !== undefined || !(error instanceof DidCommPresentationV1ProblemReportError)) throw error
      return this.getByProperties(agentContext, { threadId: message.threadId, role: DidCommProofRole.Verifier })
    }
  }

  /** Never, whatever `autoAcceptProof` says: the tenant decides what it requests, not a wallet. */
  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  override async shouldAutoRespondToRequest(
    ...[agentContext, options]: Parameters<DidCommProofV1Protocol['shouldAutoRespondToRequest']>
  ) {
    const { proofRecord, requestMessage } = options
    const requestAttachment = requestMessage.getRequestAttachmentById(INDY_PROOF_REQUEST_ATTACHMENT_ID)
    if (requestAttachment === undefined) return false
    const isAsProposed = () => super.shouldAutoRespondToRequest(agentContext, asProposed(options))
    if (!(await mayAutoRespond(proofRecord, isAsProposed))) return false
    const request = { proofRecord, requestAttachment, attachmentId: INDY_PROOF_ATTACHMENT_ID }
    return canRespond(agentContext, this.#indy, request)
  }

  override async shouldAutoRespondToPresentation(
    ...parameters: Parameters<DidCommProofV1Protocol['shouldAutoRespondToPresentation']>
  ) {
    return parameters[1].proofRecord.isVerified === true && super.shouldAutoRespondToPresentation(...parameters)
  }
}

type ProofFormats = [IndyProofFormat, AnonCredsProofFormat, PresentationExchangeFormat]

const ANONCREDS_PRESENTATION = 'anoncreds/proof@v1.0'
const INDY_PRESENTATION = 'hlindy/proof@v2.0'
const ANONCREDS_REQUEST = 'anoncreds/proof-request@v1.0'
const INDY_REQUEST = 'hlindy/proof-req@v2.0'

class ProofV2Protocol extends DidCommProofV2Protocol<ProofFormats> {
  readonly #formats: ProofFormats

  constructor(proofFormats: ProofFormats) {
    super({ proofFormats })
    this.#formats = proofFormats
  }

  override async processPresentation(messageContext: DidCommInboundMessageContext<DidCommPresentationV2Message>) {
    const proofRecord = await this.#process(messageContext)
    return verifiedOrLater(messageContext.agentContext, proofRecord)
  }

  async verifyAgain(agentContext: AgentContext, proofRecord: DidCommProofExchangeRecord): Promise<void> {
    const { request, presentation } = await messagesOf(this, agentContext, proofRecord)
    const requested = this.#attached(request.formats, request.requestAttachments)
    for (const { format, attachment } of this.#attached(presentation.formats, presentation.presentationAttachments)) {
      const requestAttachment = requested.find((one) => one.format === format)?.attachment
      if (requestAttachment === undefined) throw new TypeError('an attachment is missing')
      await format.processPresentation(agentContext, { proofRecord, requestAttachment, attachment })
    }
  }

  async isAcceptedAutomatically(agentContext: AgentContext, proofRecord: DidCommProofExchangeRecord): Promise<boolean> {
    const { presentation: presentationMessage } = await messagesOf(this, agentContext, proofRecord)
    return this.shouldAutoRespondToPresentation(agentContext, { proofRecord, presentationMessage })
  }

  /** As in version 1. */
  async #process(messageContext: DidCommInboundMessageContext<DidCommPresentationV2Message>) {
    const { agentContext, connection, message } = messageContext
    await this.#nameAsAsked(messageContext)
    try {
      return await super.processPresentation(messageContext)
    } catch (error) {
      if (!(error instanceof V2PresentationProblemReportError)) throw error
      const proofRecord = await this.#verifierRecord(messageContext)
      if (message.formats.some(({ format }) => format === ANONCREDS_PRESENTATION || format === INDY_PRESENTATION))
        // Credo stores refused presentations only in version 1. Form data shows what the wallet left out.
        await agentContext.resolve(DidCommMessageRepository).saveOrUpdateAgentMessage(agentContext, {
          agentMessage: message,
          role: DidCommMessageRole.Receiver,
          associatedRecordId: proofRecord.id,
        })
      if (connection !== undefined) throw error
      return proofRecord
    }
  }

  /** Renames the format: ACA-Py answers a request in the older format with the newer one, whose content is equal. */
  async #nameAsAsked(messageContext: DidCommInboundMessageContext<DidCommPresentationV2Message>): Promise<void> {
    const { agentContext, message } = messageContext
    const newer = message.formats.filter(({ format }) => format === ANONCREDS_PRESENTATION)
    if (newer.length === 0) return
    const { id } = await this.#verifierRecord(messageContext)
    const { formats } = await agentContext.resolve(DidCommMessageRepository).getAgentMessage(agentContext, {
      associatedRecordId: id,
      messageClass: DidCommRequestPresentationV2Message,
      role: DidCommMessageRole.Sender,
    })
    const asked = formats.map(({ format }) => format)
    if (!asked.includes(INDY_REQUEST) || asked.includes(ANONCREDS_REQUEST)) return
    for (const named of newer) named.format = INDY_PRESENTATION
  }

  #verifierRecord({ agentContext, message }: DidCommInboundMessageContext<DidCommPresentationV2Message>) {
    return this.getByProperties(agentContext, { threadId: message.threadId, role: DidCommProofRole.Verifier })
  }

  /** As in version 1. */
  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  override async shouldAutoRespondToRequest(
    ...[agentContext, options]: Parameters<DidCommProofV2Protocol<ProofFormats>['shouldAutoRespondToRequest']>
  ) {
    const { proofRecord, requestMessage } = options
    if (!(await mayAutoRespond(proofRecord, () => this.#isAsProposed(agentContext, options)))) return false
    const asked = this.#attached(requestMessage.formats, requestMessage.requestAttachments)
    for (const { format, attachment: requestAttachment } of asked)
      if (!(await canRespond(agentContext, format, { proofRecord, requestAttachment }))) return false
    return asked.length > 0
  }

  /** Compares all formats: Credo compares only the proposed ones, and a request may add another. */
  async #isAsProposed(
    ...[agentContext, options]: Parameters<DidCommProofV2Protocol<ProofFormats>['shouldAutoRespondToRequest']>
  ): Promise<boolean> {
    const { proofRecord, requestMessage } = options
    const proposal = await this.findProposalMessage(agentContext, proofRecord.id)
    if (proposal === null) return false
    const proposed = this.#attached(proposal.formats, proposal.proposalAttachments)
    for (const { format, attachment: requestAttachment } of this.#attached(
      requestMessage.formats,
      requestMessage.requestAttachments,
    )) {
      const proposalAttachment = proposed.find((one) => one.format === format)?.attachment
      if (proposalAttachment === undefined) return false
      if (
        !(await format.shouldAutoRespondToRequest(agentContext, { proofRecord, requestAttachment, proposalAttachment }))
      )
        return false
    }
    return true
  }

  /** The first attachment of each supported format, as Credo selects it. */
  #attached(formats: DidCommProofFormatSpec[], attachments: DidCommAttachment[]) {
    return this.#formats.flatMap((format) => {
      const spec = formats.find((one) => format.supportsFormat(one.format))
      const attachment = attachments.find(({ id }) => id === spec?.attachmentId)
      return attachment === undefined ? [] : [{ format, attachment }]
    })
  }

  /** Credo throws if a wallet answers only some of the requested formats. Such a presentation waits for an API call. */
  override async shouldAutoRespondToPresentation(
    ...parameters: Parameters<DidCommProofV2Protocol<ProofFormats>['shouldAutoRespondToPresentation']>
  ) {
    if (parameters[1].proofRecord.isVerified !== true) return false
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

/** The protocol of an exchange. */
export const proofProtocolOf = (
  agentContext: AgentContext,
  { protocolVersion }: DidCommProofExchangeRecord,
): ProofV1Protocol | ProofV2Protocol => {
  const { proofProtocols } = agentContext.resolve(DidCommProofsModuleConfig)
  const protocol = proofProtocols.find(({ version }) => version === protocolVersion)
  if (protocol instanceof ProofV1Protocol || protocol instanceof ProofV2Protocol) return protocol
  throw new TypeError('an exchange of an unknown protocol')
}
