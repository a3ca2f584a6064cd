/** The issue-credential protocol of this agent: what is issued is what was offered, whatever the wallet says. */
import { type AgentContext, CredoError, JsonEncoder } from '@credo-ts/core'
import {
  DidCommAttachment,
  type DidCommCredentialExchangeRecord,
  DidCommCredentialProblemReportReason,
  DidCommCredentialRole,
  DidCommCredentialState,
  DidCommCredentialV2Protocol,
  type DidCommInboundMessageContext,
  DidCommJsonLdCredentialFormatService,
  type DidCommRequestCredentialV2Message,
  V2CredentialProblemReportError,
} from '@credo-ts/didcomm'
import { type CredentialDetail, detailToSign } from './offered-credential.ts'

const NOT_OFFERED = 'the request is not for what was offered'

type AcceptRequest = Parameters<DidCommJsonLdCredentialFormatService['acceptRequest']>

/** Signs the offer; Credo signs the request. */
class JsonLdFormat extends DidCommJsonLdCredentialFormatService {
  /** A request that a validator refuses is one that differs from the offer, and no offer is like that. */
  override async processRequest(): Promise<void> {}

  /** What waits for an answer is as it was offered. */
  override async shouldAutoRespondToRequest(): Promise<boolean> {
    return true
  }

  override async acceptRequest(...[agentContext, options]: AcceptRequest) {
    const detail = toSign(options.offerAttachment, options.requestAttachment)
    if (detail === undefined) throw new CredoError(NOT_OFFERED)
    const requestAttachment = new DidCommAttachment({ data: { base64: JsonEncoder.toBase64(detail) } })
    return super.acceptRequest(agentContext, { ...options, requestAttachment })
  }
}

const toSign = (offer: DidCommAttachment | undefined, request: DidCommAttachment): CredentialDetail | undefined =>
  detailToSign(offer?.getDataAsJson(), request.getDataAsJson())

export class CredentialProtocol extends DidCommCredentialV2Protocol<[JsonLdFormat]> {
  constructor() {
    super({ credentialFormats: [new JsonLdFormat()] })
  }

  /**
   * Abandons an exchange whose request is for something else, in every mode of acceptance, and refuses a request that answers no offer: it
   * could never be accepted. Throws a problem report in both cases.
   */
  override async processRequest(messageContext: DidCommInboundMessageContext<DidCommRequestCredentialV2Message>) {
    const { agentContext, message } = messageContext
    const thread = { threadId: message.threadId, role: DidCommCredentialRole.Issuer }
    if ((await this.findByProperties(agentContext, thread)) === null)
      throw refusal('nothing was offered on this thread')
    const record = await super.processRequest(messageContext)
    if (await this.#asOffered(agentContext, record)) return record
    record.errorMessage = NOT_OFFERED
    await this.updateState(agentContext, record, DidCommCredentialState.Abandoned)
    throw refusal(NOT_OFFERED)
  }

  /** Whatever `autoAcceptCredential` says: what is offered is for the tenant to say, not for a wallet. */
  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  async #asOffered(agentContext: AgentContext, { id }: DidCommCredentialExchangeRecord): Promise<boolean> {
    try {
      const { offer, request } = await this.getFormatData(agentContext, id)
      return detailToSign(offer?.jsonld, request?.jsonld) !== undefined
    } catch (error) {
      // An attachment that is no JSON, or has no data.
      if (error instanceof SyntaxError || error instanceof CredoError) return false
      throw error
    }
  }
}

const refusal = (message: string): V2CredentialProblemReportError =>
  new V2CredentialProblemReportError(message, { problemCode: DidCommCredentialProblemReportReason.IssuanceAbandoned })
