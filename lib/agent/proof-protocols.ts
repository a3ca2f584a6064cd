/** The present-proof protocols of this agent. Where a deployment has no AnonCreds library, such a presentation is received, and not called verified. */
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
  DidCommProofExchangeRepository,
  type DidCommProofFormatSpec,
  DidCommProofRole,
  DidCommProofV2Protocol,
  DidCommRequestPresentationV2Message,
  V2PresentationProblemReportError,
} from '@credo-ts/didcomm'
import { AnonCredsProofFormat, IndyProofFormat, isUnverified } from './anoncreds/proof-formats.ts'
import { autoAccept } from './auto-accept.ts'
import { prepareAnswer } from './prepared-answers.ts'
import { PresentationExchangeFormat } from './presentation-exchange-format.ts'

/** What the record says of a presentation that only AnonCreds' native library could verify. */
const UNVERIFIABLE = 'the presentation was received and not verified: this deployment has no AnonCreds library'

/** Says so in the record; it stays at `presentation-received`. */
const withoutVerification = async (
  agentContext: AgentContext,
  proofRecord: DidCommProofExchangeRecord,
): Promise<DidCommProofExchangeRecord> => {
  if (!isUnverified(proofRecord)) return proofRecord
  proofRecord.isVerified = false
  proofRecord.errorMessage = UNVERIFIABLE
  await agentContext.resolve(DidCommProofExchangeRepository).update(agentContext, proofRecord)
  return proofRecord
}

/** The options of the question whether a request is as it was proposed, which Credo asks for `contentApproved` only. */
const asProposed = <Options extends { proofRecord: DidCommProofExchangeRecord }>(options: Options): Options => {
  const proofRecord = options.proofRecord.clone() as DidCommProofExchangeRecord
  proofRecord.autoAcceptProof = DidCommAutoAcceptProof.ContentApproved
  return { ...options, proofRecord }
}

/**
 * Whether a request is answered without a call: where the agent's settings say so, or where it asks for no more than was proposed to the
 * verifier. `always` in a proposal is no more than that: a verifier could ask for anything.
 */
const mayAnswerByItself = async (
  { autoAcceptProof }: DidCommProofExchangeRecord,
  isAsProposed: () => Promise<boolean>,
): Promise<boolean> => {
  if (autoAcceptProof === DidCommAutoAcceptProof.Never) return false
  if (autoAcceptProof !== undefined && (await isAsProposed())) return true
  return (await autoAccept()).proofRequests
}

type ProcessV1 = Parameters<DidCommProofV1Protocol['processPresentation']>

class ProofV1Protocol extends DidCommProofV1Protocol {
  readonly #indy: IndyProofFormat

  constructor(indyProofFormat: IndyProofFormat) {
    super({ indyProofFormat })
    this.#indy = indyProofFormat
  }

  /** Throws a problem report for a preview that is none: Credo takes one whose parts are no lists. */
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
    return withoutVerification(messageContext.agentContext, proofRecord)
  }

  /** Without a connection nobody could be sent a problem report: the proof is abandoned all the same, and the message was handled. */
  async #process(messageContext: ProcessV1[0]) {
    const { agentContext, connection, message } = messageContext
    try {
      return await super.processPresentation(messageContext)
    } catch (error) {
      if (connection !== undefined || !(error instanceof DidCommPresentationV1ProblemReportError)) throw error
      return this.getByProperties(agentContext, { threadId: message.threadId, role: DidCommProofRole.Verifier })
    }
  }

  /** Whatever `autoAcceptProof` says: what is asked for is for the tenant to say, not for a wallet. */
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
    if (!(await mayAnswerByItself(proofRecord, isAsProposed))) return false
    const request = { proofRecord, requestAttachment, attachmentId: INDY_PROOF_ATTACHMENT_ID }
    return prepareAnswer(agentContext, this.#indy, request)
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
    return withoutVerification(messageContext.agentContext, proofRecord)
  }

  /** Without a connection nobody could be sent a problem report, as above. */
  async #process(messageContext: DidCommInboundMessageContext<DidCommPresentationV2Message>) {
    const { agentContext, connection, message } = messageContext
    await this.#nameAsAsked(messageContext)
    try {
      return await super.processPresentation(messageContext)
    } catch (error) {
      if (!(error instanceof V2PresentationProblemReportError)) throw error
      const proofRecord = await this.#verifierRecord(messageContext)
      if (message.formats.some(({ format }) => format === ANONCREDS_PRESENTATION || format === INDY_PRESENTATION))
        // Credo keeps what it refuses in version 1 alone; form data shows what a wallet did not reveal.
        await agentContext.resolve(DidCommMessageRepository).saveOrUpdateAgentMessage(agentContext, {
          agentMessage: message,
          role: DidCommMessageRole.Receiver,
          associatedRecordId: proofRecord.id,
        })
      if (connection !== undefined) throw error
      return proofRecord
    }
  }

  /** ACA-Py answers a request of the older format by a presentation of the newer, whose content is the same. */
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

  /** Whatever `autoAcceptProof` says, as in version 1. */
  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  override async shouldAutoRespondToRequest(
    ...[agentContext, options]: Parameters<DidCommProofV2Protocol<ProofFormats>['shouldAutoRespondToRequest']>
  ) {
    const { proofRecord, requestMessage } = options
    if (!(await mayAnswerByItself(proofRecord, () => this.#isAsProposed(agentContext, options)))) return false
    const asked = this.#attached(requestMessage.formats, requestMessage.requestAttachments)
    for (const { format, attachment: requestAttachment } of asked)
      if (!(await prepareAnswer(agentContext, format, { proofRecord, requestAttachment }))) return false
    return asked.length > 0
  }

  /** Credo compares what was proposed, and a request may ask for more in another format. */
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

  /** The first attachment of each format that this agent knows, as Credo chooses it. */
  #attached(formats: DidCommProofFormatSpec[], attachments: DidCommAttachment[]) {
    return this.#formats.flatMap((format) => {
      const spec = formats.find((one) => format.supportsFormat(one.format))
      const attachment = attachments.find(({ id }) => id === spec?.attachmentId)
      return attachment === undefined ? [] : [{ format, attachment }]
    })
  }

  /** Credo throws where a wallet has answered in some of the formats that were asked for: that waits for somebody to accept it. */
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
