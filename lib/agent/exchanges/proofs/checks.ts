/** What both versions of present-proof do with requests and presentations. */
import { DidCommPresentationV1ProblemReportError, type DidCommProposePresentationV1Message } from '@credo-ts/anoncreds'
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  type DidCommAttachment,
  DidCommAutoAcceptProof,
  DidCommPresentationProblemReportReason,
  DidCommProblemReportError,
  type DidCommProofExchangeRecord,
  type DidCommProofFormatService,
  type DidCommProofProtocol,
  DidCommProofRole,
  type DidCommInboundMessageContext as Inbound,
  V2PresentationProblemReportError,
} from '@credo-ts/didcomm'
import { isAgentError } from '../../../errors.ts'
import { prepareResponse } from '../../formats/index.ts'
import { autoAccept } from '../index.ts'
import { presentLater } from './present-later.ts'
import { scheduleIfUnverified } from './verify-later.ts'

type Exchange = DidCommProofExchangeRecord

/** The violation of a proposal of version 1 with a malformed preview: Credo accepts one whose parts are not lists. */
export const proposalViolation = ({ message }: Inbound<DidCommProposePresentationV1Message>): string | undefined => {
  const { attributes, predicates } = message.presentationProposal
  return [attributes, predicates].every(Array.isArray) ? undefined : 'attributes or predicates are not a list'
}

const problemCode = DidCommPresentationProblemReportReason.Abandoned

export const presentationReportV1 = (message: string) =>
  new DidCommPresentationV1ProblemReportError(message, { problemCode })

export const presentationReportV2 = (message: string) => new V2PresentationProblemReportError(message, { problemCode })

/** An attachment of a message, and the format that reads it. */
export interface Attached {
  format: DidCommProofFormatService
  attachment: DidCommAttachment
  /** The attachment that responds to it, if the protocol names it. */
  response?: { attachmentId: string }
}

interface Protocol<Request, Presentation> extends Pick<DidCommProofProtocol, 'getByProperties'> {
  findRequestMessage(agentContext: AgentContext, proofRecordId: string): Promise<Request | null>
  findPresentationMessage(agentContext: AgentContext, proofRecordId: string): Promise<Presentation | null>
  shouldAutoRespondToPresentation(
    agentContext: AgentContext,
    options: { proofRecord: Exchange; presentationMessage: Presentation },
  ): Promise<boolean>
}

export type ProofChecks<Request, Presentation> = ReturnType<typeof proofChecks<Request, Presentation>>

/** The checks of one version. `attachedTo`: the attachments of a message that a format reads. */
export const proofChecks = <Request, Presentation>(
  protocol: Protocol<Request, Presentation>,
  attachedTo: { request: (message: Request) => Attached[]; presentation: (message: Presentation) => Attached[] },
) => {
  const verifierRecord = ({ agentContext, message }: Inbound): Promise<Exchange> =>
    protocol.getByProperties(agentContext, { threadId: message.threadId, role: DidCommProofRole.Verifier })

  const presentationOf = async (agentContext: AgentContext, id: string): Promise<Presentation> => {
    const presentation = await protocol.findPresentationMessage(agentContext, id)
    if (presentation === null) throw new TypeError('the presentation of the exchange is missing')
    return presentation
  }
  return {
    /** The exchange of a message in which this agent is the verifier. Throws if there is none. */
    verifierRecord,

    /**
     * Runs `process` for a presentation. Without a connection no problem report can be sent: the exchange is abandoned,
     * and the message counts as handled. `onRejected` is called before.
     */
    processPresentation: async (
      inbound: Inbound,
      process: () => Promise<Exchange>,
      onRejected?: (proofRecord: Exchange) => Promise<void>,
    ): Promise<Exchange> => {
      try {
        return await scheduleIfUnverified(inbound.agentContext, await process())
      } catch (error) {
        if (!(error instanceof DidCommProblemReportError)) throw error
        const proofRecord = await verifierRecord(inbound)
        await onRejected?.(proofRecord)
        if (inbound.connection !== undefined) throw error
        return proofRecord
      }
    },

    /** Whether to answer a request without an API call. The response in each format is prepared. */
    shouldAutoRespondToRequest: async (
      agentContext: AgentContext,
      { proofRecord, requestMessage }: { proofRecord: Exchange; requestMessage: Request },
      isAsProposed: () => Promise<boolean>,
    ): Promise<boolean> => {
      if (!(await mayAutoRespond(proofRecord, isAsProposed))) return false
      for (const { format, attachment: requestAttachment, response } of attachedTo.request(requestMessage))
        if (!(await canRespond(agentContext, format, { proofRecord, requestAttachment, ...response }))) return false
      return true
    },

    /** Verifies the stored presentation of an exchange. Throws what its formats throw. */
    verifyAgain: async (agentContext: AgentContext, proofRecord: Exchange): Promise<void> => {
      const request = await protocol.findRequestMessage(agentContext, proofRecord.id)
      const requested = request === null ? [] : attachedTo.request(request)
      const presented = attachedTo.presentation(await presentationOf(agentContext, proofRecord.id))
      if (presented.length === 0) throw new TypeError('the presentation has no readable attachment')
      for (const { format, attachment } of presented) {
        const requestAttachment = requested.find((one) => one.format === format)?.attachment
        if (requestAttachment === undefined) throw new TypeError('an attachment of the request is missing')
        await format.processPresentation(agentContext, { proofRecord, requestAttachment, attachment })
      }
    },

    /** Whether to acknowledge the stored presentation of an exchange without an API call. */
    isAcceptedAutomatically: async (agentContext: AgentContext, proofRecord: Exchange): Promise<boolean> => {
      const presentationMessage = await presentationOf(agentContext, proofRecord.id)
      return protocol.shouldAutoRespondToPresentation(agentContext, { proofRecord, presentationMessage })
    },
  }
}

/**
 * Whether a request is answered without an API call: if the agent's settings say so, or if it matches this agent's own
 * proposal. `always` in a proposal means no more than that, since a verifier could request anything.
 */
const mayAutoRespond = async (
  { autoAcceptProof }: Exchange,
  isAsProposed: () => Promise<boolean>,
): Promise<boolean> => {
  if (autoAcceptProof === DidCommAutoAcceptProof.Never) return false
  if (autoAcceptProof !== undefined && (await isAsProposed())) return true
  return (await autoAccept()).proofRequests
}

/**
 * Prepares the response in one format, before Credo is told to send it. False if the agent does not hold the necessary
 * credentials, or has no AnonCreds library: then the request waits for a call. False also if what the response needs
 * can't be read: then a job answers the request.
 */
const canRespond = async (...to: Parameters<typeof prepareResponse>): Promise<boolean> => {
  try {
    await prepareResponse(...to)
    return true
  } catch (error) {
    const waits =
      error instanceof CredoError ||
      isAgentError(error, 'request.invalid') ||
      isAgentError(error, 'anoncreds.unavailable')
    if (waits) return false
    // A failure of the table ends the unit of work anyway.
    if (!isAgentError(error, 'registry.unavailable')) throw error
    presentLater(to[2].proofRecord.id)
    return false
  }
}
