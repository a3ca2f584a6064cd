/** The present-proof protocols of this agent: AnonCreds is asked for, and received, but never called verified. */
import {
  AnonCredsDidCommProofFormatService,
  DidCommProofV1Protocol,
  LegacyIndyDidCommProofFormatService,
} from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import {
  type DidCommInboundMessageContext,
  type DidCommPresentationV2Message,
  type DidCommProofExchangeRecord,
  DidCommProofExchangeRepository,
  DidCommProofRole,
  DidCommProofV2Protocol,
  V2PresentationProblemReportError,
} from '@credo-ts/didcomm'
import { PresentationExchangeFormat } from './presentation-exchange-format.ts'

/** What the record says of a presentation that only AnonCreds' native library could verify. */
const UNVERIFIABLE = 'the presentation was received and not verified: AnonCreds verification is not part of this agent'

/** Records whose presentation a format took without verifying it. */
const unverified = new WeakSet<DidCommProofExchangeRecord>()

class UnverifiedIndyFormat extends LegacyIndyDidCommProofFormatService {
  override async processPresentation(...[, { proofRecord }]: ProcessPresentation): Promise<boolean> {
    unverified.add(proofRecord)
    return true
  }
}

class UnverifiedAnonCredsFormat extends AnonCredsDidCommProofFormatService {
  override async processPresentation(...[, { proofRecord }]: ProcessPresentation): Promise<boolean> {
    unverified.add(proofRecord)
    return true
  }
}

type ProcessPresentation = Parameters<LegacyIndyDidCommProofFormatService['processPresentation']>

/** Says so in the record; it stays at `presentation-received`. */
const withoutVerification = async (
  agentContext: AgentContext,
  proofRecord: DidCommProofExchangeRecord,
): Promise<DidCommProofExchangeRecord> => {
  if (!unverified.has(proofRecord)) return proofRecord
  proofRecord.isVerified = false
  proofRecord.errorMessage = UNVERIFIABLE
  await agentContext.resolve(DidCommProofExchangeRepository).update(agentContext, proofRecord)
  return proofRecord
}

class ProofV1Protocol extends DidCommProofV1Protocol {
  override async processPresentation(...parameters: Parameters<DidCommProofV1Protocol['processPresentation']>) {
    const proofRecord = await super.processPresentation(...parameters)
    return withoutVerification(parameters[0].agentContext, proofRecord)
  }

  override async shouldAutoRespondToPresentation(
    ...parameters: Parameters<DidCommProofV1Protocol['shouldAutoRespondToPresentation']>
  ) {
    return parameters[1].proofRecord.isVerified === true && super.shouldAutoRespondToPresentation(...parameters)
  }
}

type ProofFormats = [
  LegacyIndyDidCommProofFormatService,
  AnonCredsDidCommProofFormatService,
  PresentationExchangeFormat,
]

class ProofV2Protocol extends DidCommProofV2Protocol<ProofFormats> {
  override async processPresentation(messageContext: DidCommInboundMessageContext<DidCommPresentationV2Message>) {
    const proofRecord = await this.#process(messageContext)
    return withoutVerification(messageContext.agentContext, proofRecord)
  }

  /** Without a connection nobody could be sent a problem report: the proof is abandoned all the same, and the message was handled. */
  async #process(messageContext: DidCommInboundMessageContext<DidCommPresentationV2Message>) {
    const { agentContext, connection, message } = messageContext
    try {
      return await super.processPresentation(messageContext)
    } catch (error) {
      if (connection !== undefined || !(error instanceof V2PresentationProblemReportError)) throw error
      return this.getByProperties(agentContext, { threadId: message.threadId, role: DidCommProofRole.Verifier })
    }
  }

  override async shouldAutoRespondToPresentation(
    ...parameters: Parameters<DidCommProofV2Protocol<ProofFormats>['shouldAutoRespondToPresentation']>
  ) {
    return parameters[1].proofRecord.isVerified === true && super.shouldAutoRespondToPresentation(...parameters)
  }
}

export const proofProtocols = (): [ProofV1Protocol, ProofV2Protocol] => {
  const indy = new UnverifiedIndyFormat()
  return [
    new ProofV1Protocol({ indyProofFormat: indy }),
    new ProofV2Protocol({
      proofFormats: [indy, new UnverifiedAnonCredsFormat(), new PresentationExchangeFormat()],
    }),
  ]
}
