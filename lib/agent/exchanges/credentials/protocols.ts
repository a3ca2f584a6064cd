/** The issue-credential protocols (Aries RFC 0453, and 0036 with Indy only), which issue and accept only what was offered. */
import { DidCommCredentialV1ProblemReportMessage, DidCommCredentialV1Protocol } from '@credo-ts/anoncreds'
import {
  type DidCommCredentialExchangeRecord,
  DidCommCredentialProblemReportReason,
  DidCommCredentialRole,
  DidCommCredentialV2Protocol,
  type DidCommInboundMessageContext,
  DidCommProblemReportError,
  V2CredentialProblemReportError,
} from '@credo-ts/didcomm'
import { defined } from '../../../json.ts'
import { AnonCredsFormat, IndyFormat, isAnonCredsAvailable, requestFormats } from '../../formats/anoncreds/index.ts'
import { JsonLdFormat } from '../../formats/json-ld/index.ts'
import { isAutoAccepted, OfferAcceptance, proposesAllOf } from '../index.ts'
import { abandonedUnlessOffered, assertPreview, mayAutoRespond, processOfferedRequest } from './checks.ts'

const problemCode = DidCommCredentialProblemReportReason.IssuanceAbandoned

const refusalV2 = (message: string): V2CredentialProblemReportError =>
  new V2CredentialProblemReportError(message, { problemCode })

class V1CredentialProblemReportError extends DidCommProblemReportError {
  constructor(message: string) {
    super(message, { problemCode })
    this.problemReport = new DidCommCredentialV1ProblemReportMessage({
      description: { en: message, code: problemCode },
    })
  }
}

const refusalV1 = (message: string): V1CredentialProblemReportError => new V1CredentialProblemReportError(message)

type V1 = DidCommCredentialV1Protocol

class CredentialProtocolV1 extends DidCommCredentialV1Protocol {
  readonly #formats: [IndyFormat]
  readonly #acceptance = new OfferAcceptance<Awaited<ReturnType<V1['acceptOffer']>>['message']>()

  constructor(indyCredentialFormat: IndyFormat) {
    super({ indyCredentialFormat })
    this.#formats = [indyCredentialFormat]
  }

  override async processProposal(...[inbound]: Parameters<V1['processProposal']>) {
    assertPreview(inbound.message.credentialPreview?.attributes ?? [], refusalV1)
    return super.processProposal(inbound)
  }

  override async processOffer(...[inbound]: Parameters<V1['processOffer']>) {
    assertPreview(inbound.message.credentialPreview.attributes, refusalV1)
    return super.processOffer(inbound)
  }

  override async processRequest(...[inbound]: Parameters<V1['processRequest']>) {
    const step = { protocol: this, formats: this.#formats, inbound, refusal: refusalV1 }
    return processOfferedRequest(step, () => super.processRequest(inbound))
  }

  override async acceptRequest(...[agentContext, options]: Parameters<V1['acceptRequest']>) {
    return abandonedUnlessOffered(agentContext, options.credentialExchangeRecord, refusalV1, () =>
      super.acceptRequest(agentContext, options),
    )
  }

  override async processCredential(...[inbound]: Parameters<V1['processCredential']>) {
    const record = await heldExchange(this, inbound)
    return abandonedUnlessOffered(inbound.agentContext, record, refusalV1, () => super.processCredential(inbound))
  }

  /** Never, whatever `autoAcceptCredential` says: the tenant decides what it offers, not a wallet. */
  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  override async shouldAutoRespondToOffer(...[agentContext, options]: Parameters<V1['shouldAutoRespondToOffer']>) {
    const { credentialExchangeRecord: exchange } = options
    const isAccepted = await isAutoAccepted(exchange, async () => super.shouldAutoRespondToOffer(agentContext, options))
    const accept = () => super.acceptOffer(agentContext, { credentialExchangeRecord: exchange })
    return isAccepted && this.#acceptance.tryTo(exchange, accept)
  }

  /** Credo's report has no thread: the receiver could not assign it, and without a connection it could not even be sent. */
  override async createProblemReport(...[agentContext, options]: Parameters<V1['createProblemReport']>) {
    const { threadId, parentThreadId } = options.credentialExchangeRecord
    const { message, credentialExchangeRecord } = await super.createProblemReport(agentContext, options)
    message.setThread({ threadId, ...defined({ parentThreadId }) })
    return { message, credentialExchangeRecord }
  }

  override async acceptOffer(...[agentContext, options]: Parameters<V1['acceptOffer']>) {
    return this.#acceptance.of(options.credentialExchangeRecord) ?? super.acceptOffer(agentContext, options)
  }

  /** Without the library the request waits for a call, which is told the reason. */
  override async shouldAutoRespondToRequest(
    ...[, { credentialExchangeRecord }]: Parameters<V1['shouldAutoRespondToRequest']>
  ) {
    return mayAutoRespond(credentialExchangeRecord) && isAnonCredsAvailable()
  }

  /** A stored credential was already compared with the offer. */
  override async shouldAutoRespondToCredential(
    ...[, { credentialExchangeRecord }]: Parameters<V1['shouldAutoRespondToCredential']>
  ) {
    return mayAutoRespond(credentialExchangeRecord)
  }
}

type Formats = [JsonLdFormat, AnonCredsFormat, IndyFormat]
type V2 = DidCommCredentialV2Protocol<Formats>

class CredentialProtocolV2 extends DidCommCredentialV2Protocol<Formats> {
  readonly #formats: Formats
  readonly #acceptance = new OfferAcceptance<Awaited<ReturnType<V2['acceptOffer']>>['message']>()

  constructor(credentialFormats: Formats) {
    super({ credentialFormats })
    this.#formats = credentialFormats
  }

  override async processProposal(...[inbound]: Parameters<V2['processProposal']>) {
    assertPreview(inbound.message.credentialPreview?.attributes ?? [], refusalV2)
    return super.processProposal(inbound)
  }

  override async processOffer(...[inbound]: Parameters<V2['processOffer']>) {
    assertPreview(inbound.message.credentialPreview?.attributes ?? [], refusalV2)
    return super.processOffer(inbound)
  }

  override async processRequest(...[inbound]: Parameters<V2['processRequest']>) {
    const { agentContext, message } = inbound
    const step = { protocol: this, formats: this.#formats, inbound, refusal: refusalV2 }
    return processOfferedRequest(step, async ({ id }) => {
      const offer = await this.findOfferMessage(agentContext, id)
      message.formats = requestFormats(offer?.formats ?? [], message.formats)
      return super.processRequest(inbound)
    })
  }

  override async acceptRequest(...[agentContext, options]: Parameters<V2['acceptRequest']>) {
    return abandonedUnlessOffered(agentContext, options.credentialExchangeRecord, refusalV2, () =>
      super.acceptRequest(agentContext, options),
    )
  }

  override async processCredential(...[inbound]: Parameters<V2['processCredential']>) {
    const record = await heldExchange(this, inbound)
    return abandonedUnlessOffered(inbound.agentContext, record, refusalV2, () => super.processCredential(inbound))
  }

  /** Never, whatever `autoAcceptCredential` says: the tenant decides what it offers, not a wallet. */
  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  override async shouldAutoRespondToOffer(...[agentContext, options]: Parameters<V2['shouldAutoRespondToOffer']>) {
    const { credentialExchangeRecord: exchange } = options
    const isAccepted = await isAutoAccepted(
      exchange,
      async () =>
        proposesAllOf(await this.getFormatData(agentContext, exchange.id)) &&
        super.shouldAutoRespondToOffer(agentContext, options),
    )
    const accept = () => super.acceptOffer(agentContext, { credentialExchangeRecord: exchange })
    return isAccepted && this.#acceptance.tryTo(exchange, accept)
  }

  override async acceptOffer(...[agentContext, options]: Parameters<V2['acceptOffer']>) {
    return this.#acceptance.of(options.credentialExchangeRecord) ?? super.acceptOffer(agentContext, options)
  }

  /** Without the library a request for AnonCreds waits for a call, which is told the reason. */
  override async shouldAutoRespondToRequest(
    ...[, { credentialExchangeRecord, requestMessage }]: Parameters<V2['shouldAutoRespondToRequest']>
  ) {
    const needsLibrary = requestMessage.formats.some(({ format }) => ANONCREDS_FORMAT.test(format))
    return mayAutoRespond(credentialExchangeRecord) && (!needsLibrary || isAnonCredsAvailable())
  }

  /** A stored credential was already compared with the offer. */
  override async shouldAutoRespondToCredential(
    ...[, { credentialExchangeRecord }]: Parameters<V2['shouldAutoRespondToCredential']>
  ) {
    return mayAutoRespond(credentialExchangeRecord)
  }
}

/** Formats of Aries RFC 0592 and 0771. */
const ANONCREDS_FORMAT = /^(hlindy|anoncreds)\//

/** Throws if the thread has no exchange in which this agent is the holder. */
const heldExchange = (
  protocol: V1 | V2,
  { agentContext, connection, message }: DidCommInboundMessageContext,
): Promise<DidCommCredentialExchangeRecord> =>
  protocol.getByProperties(agentContext, {
    threadId: message.threadId,
    role: DidCommCredentialRole.Holder,
    ...(connection === undefined ? {} : { connectionId: connection.id }),
  })

export const credentialProtocols = (): [CredentialProtocolV1, CredentialProtocolV2] => {
  const indy = new IndyFormat()
  return [new CredentialProtocolV1(indy), new CredentialProtocolV2([new JsonLdFormat(), new AnonCredsFormat(), indy])]
}
