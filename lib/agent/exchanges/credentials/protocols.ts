/**
 * The issue-credential protocols (Aries RFC 0453, and 0036 with Indy only), which issue and accept only credentials as
 * offered.
 */
import { DidCommCredentialV1ProblemReportMessage, DidCommCredentialV1Protocol } from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import {
  type DidCommCredentialExchangeRecord,
  DidCommCredentialProblemReportReason,
  DidCommCredentialsModuleConfig,
  DidCommCredentialV2Protocol,
  DidCommProblemReportError,
  V2CredentialProblemReportError,
} from '@credo-ts/didcomm'
import { defined } from '../../../json.ts'
import { AnonCredsFormat, IndyFormat, isAnonCredsAvailable, requestFormats } from '../../formats/anoncreds/index.ts'
import { JsonLdFormat } from '../../formats/json-ld/index.ts'
import { type CredentialChecks, credentialChecks, mayAcknowledge, mayAutoRespond } from './checks.ts'
import { type AcceptedOffer, OfferAcceptance, proposesAllOf } from './offer-acceptance.ts'
import { receivedFormatsV1, receivedFormatsV2 } from './received-formats.ts'

const problemCode = DidCommCredentialProblemReportReason.IssuanceAbandoned

export const issuanceReportV2 = (message: string) => new V2CredentialProblemReportError(message, { problemCode })

export const issuanceReportV1 = (message: string): DidCommProblemReportError => {
  const error = new DidCommProblemReportError(message, { problemCode })
  error.problemReport = new DidCommCredentialV1ProblemReportMessage({ description: { en: message, code: problemCode } })
  return error
}

type V1 = DidCommCredentialV1Protocol

/** The message that a protocol's `acceptOffer` returns. */
type RequestOf<Protocol extends { acceptOffer: (...of: never[]) => Promise<AcceptedOffer<unknown>> }> = Awaited<
  ReturnType<Protocol['acceptOffer']>
>['message']

class CredentialProtocolV1 extends DidCommCredentialV1Protocol {
  readonly checks: CredentialChecks
  readonly #acceptance = new OfferAcceptance<RequestOf<V1>>()

  constructor(indyCredentialFormat: IndyFormat) {
    super({ indyCredentialFormat })
    this.checks = credentialChecks(this, [indyCredentialFormat], issuanceReportV1, (agentContext, id) =>
      receivedFormatsV1(this, indyCredentialFormat, agentContext, id),
    )
  }

  override async processRequest(...[inbound]: Parameters<V1['processRequest']>) {
    return this.checks.processRequest(inbound, () => super.processRequest(inbound))
  }

  override async acceptRequest(...[agentContext, options]: Parameters<V1['acceptRequest']>) {
    const { credentialExchangeRecord: exchange } = options
    const accept = () => super.acceptRequest(agentContext, options)
    return this.checks.abandonUnlessOffered(agentContext, exchange, accept)
  }

  override async processCredential(...[inbound]: Parameters<V1['processCredential']>) {
    return this.checks.processCredential(inbound, () => super.processCredential(inbound))
  }

  /** Never, whatever `autoAcceptCredential` says: the tenant decides what it offers, not a wallet. */
  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  override async shouldAutoRespondToOffer(...[agentContext, options]: Parameters<V1['shouldAutoRespondToOffer']>) {
    const { credentialExchangeRecord } = options
    return this.#acceptance.acceptIfAllowed(
      credentialExchangeRecord,
      () => super.shouldAutoRespondToOffer(agentContext, options),
      () => super.acceptOffer(agentContext, { credentialExchangeRecord }),
    )
  }

  override async acceptOffer(...[agentContext, options]: Parameters<V1['acceptOffer']>) {
    return this.#acceptance.resultOf(options.credentialExchangeRecord) ?? super.acceptOffer(agentContext, options)
  }

  /** Without the library the request waits for a call, which fails with the reason. */
  override async shouldAutoRespondToRequest(
    ...[, { credentialExchangeRecord }]: Parameters<V1['shouldAutoRespondToRequest']>
  ) {
    return mayAutoRespond(credentialExchangeRecord) && isAnonCredsAvailable()
  }

  override async shouldAutoRespondToCredential(
    ...[, { credentialExchangeRecord }]: Parameters<V1['shouldAutoRespondToCredential']>
  ) {
    return mayAcknowledge(credentialExchangeRecord)
  }

  /** Adds the thread, which Credo omits: the receiver needs it, and so does sending without a connection. */
  override async createProblemReport(...[agentContext, options]: Parameters<V1['createProblemReport']>) {
    const { threadId, parentThreadId } = options.credentialExchangeRecord
    const report = await super.createProblemReport(agentContext, options)
    report.message.setThread({ threadId, ...defined({ parentThreadId }) })
    return report
  }
}

type Formats = [JsonLdFormat, AnonCredsFormat, IndyFormat]
type V2 = DidCommCredentialV2Protocol<Formats>

class CredentialProtocolV2 extends DidCommCredentialV2Protocol<Formats> {
  readonly checks: CredentialChecks
  readonly #acceptance = new OfferAcceptance<RequestOf<V2>>()

  constructor(credentialFormats: Formats) {
    super({ credentialFormats })
    this.checks = credentialChecks(this, credentialFormats, issuanceReportV2, (agentContext, id) =>
      receivedFormatsV2(this, credentialFormats, agentContext, id),
    )
  }

  /** Nothing listens, and Credo would clone the record. */
  override emitStateChangedEvent() {}

  override async processProposal(...[inbound]: Parameters<V2['processProposal']>) {
    removeUncheckedPreview(inbound.message)
    return super.processProposal(inbound)
  }

  override async processOffer(...[inbound]: Parameters<V2['processOffer']>) {
    removeUncheckedPreview(inbound.message)
    return super.processOffer(inbound)
  }

  override async processRequest(...[inbound]: Parameters<V2['processRequest']>) {
    const { agentContext, message } = inbound
    return this.checks.processRequest(inbound, async ({ id }) => {
      const offer = await this.findOfferMessage(agentContext, id)
      message.formats = requestFormats(offer?.formats ?? [], message.formats)
      return super.processRequest(inbound)
    })
  }

  override async acceptRequest(...[agentContext, options]: Parameters<V2['acceptRequest']>) {
    const { credentialExchangeRecord: exchange } = options
    const accept = () => super.acceptRequest(agentContext, options)
    return this.checks.abandonUnlessOffered(agentContext, exchange, accept)
  }

  override async processCredential(...[inbound]: Parameters<V2['processCredential']>) {
    return this.checks.processCredential(inbound, () => super.processCredential(inbound))
  }

  /** Never, whatever `autoAcceptCredential` says: the tenant decides what it offers, not a wallet. */
  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  override async shouldAutoRespondToOffer(...[agentContext, options]: Parameters<V2['shouldAutoRespondToOffer']>) {
    const { credentialExchangeRecord } = options
    return this.#acceptance.acceptIfAllowed(
      credentialExchangeRecord,
      async () =>
        proposesAllOf(await this.getFormatData(agentContext, credentialExchangeRecord.id)) &&
        super.shouldAutoRespondToOffer(agentContext, options),
      () => super.acceptOffer(agentContext, { credentialExchangeRecord }),
    )
  }

  override async acceptOffer(...[agentContext, options]: Parameters<V2['acceptOffer']>) {
    return this.#acceptance.resultOf(options.credentialExchangeRecord) ?? super.acceptOffer(agentContext, options)
  }

  /** Without the library a request for AnonCreds waits for a call, which fails with the reason. */
  override async shouldAutoRespondToRequest(
    ...[, { credentialExchangeRecord, requestMessage }]: Parameters<V2['shouldAutoRespondToRequest']>
  ) {
    const needsLibrary = requestMessage.formats.some(({ format }) => ANONCREDS_FORMAT.test(format))
    return mayAutoRespond(credentialExchangeRecord) && (!needsLibrary || isAnonCredsAvailable())
  }

  override async shouldAutoRespondToCredential(
    ...[, { credentialExchangeRecord }]: Parameters<V2['shouldAutoRespondToCredential']>
  ) {
    return mayAcknowledge(credentialExchangeRecord)
  }
}

/** Formats of Aries RFC 0592 and 0771. */
const ANONCREDS_FORMAT = /^(hlindy|anoncreds)\//

type Previewed = Pick<Parameters<V2['processOffer']>[0]['message'], 'credentialPreview' | 'formats'>

/** Only AnonCreds credentials are compared with their preview: with a JSON-LD credential it could have any values. */
const removeUncheckedPreview = ({ credentialPreview, formats }: Previewed): void => {
  if (credentialPreview !== undefined && !formats.some(({ format }) => ANONCREDS_FORMAT.test(format)))
    credentialPreview.attributes = []
}

export const credentialProtocols = (): [CredentialProtocolV1, CredentialProtocolV2] => {
  const indy = new IndyFormat()
  return [new CredentialProtocolV1(indy), new CredentialProtocolV2([new JsonLdFormat(), new AnonCredsFormat(), indy])]
}

/** The checks of an exchange's protocol. */
export const credentialChecksOf = (
  agentContext: AgentContext,
  { protocolVersion }: DidCommCredentialExchangeRecord,
): CredentialChecks => {
  const { credentialProtocols } = agentContext.resolve(DidCommCredentialsModuleConfig)
  const protocol = credentialProtocols.find(({ version }) => version === protocolVersion)
  if (protocol instanceof CredentialProtocolV1 || protocol instanceof CredentialProtocolV2) return protocol.checks
  throw new TypeError('an exchange of an unknown protocol')
}
