/** The present-proof protocols of this agent. Where a deployment has no AnonCreds library, such a presentation is received, and not called verified. */
import { DidCommPresentationV1ProblemReportError, DidCommProofV1Protocol } from '@credo-ts/anoncreds'
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  type DidCommInboundMessageContext,
  DidCommMessageRepository,
  DidCommMessageRole,
  type DidCommPresentationV2Message,
  type DidCommProofExchangeRecord,
  DidCommProofExchangeRepository,
  DidCommProofRole,
  DidCommProofV2Protocol,
  DidCommRequestPresentationV2Message,
  V2PresentationProblemReportError,
} from '@credo-ts/didcomm'
import { AnonCredsProofFormat, IndyProofFormat, isUnverified } from './anoncreds/proof-formats.ts'
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

type ProcessV1 = Parameters<DidCommProofV1Protocol['processPresentation']>

class ProofV1Protocol extends DidCommProofV1Protocol {
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
    new ProofV1Protocol({ indyProofFormat: indy }),
    new ProofV2Protocol({ proofFormats: [indy, new AnonCredsProofFormat(), new PresentationExchangeFormat()] }),
  ]
}
