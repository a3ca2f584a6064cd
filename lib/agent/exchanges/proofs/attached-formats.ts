/** The formats of messages of present-proof 2.0 (Aries RFC 0454), compared with each other. */
import type { AgentContext } from '@credo-ts/core'
import {
  type DidCommInboundMessageContext,
  DidCommMessageRepository,
  DidCommMessageRole,
  type DidCommPresentationV2Message,
  type DidCommProofExchangeRecord,
  DidCommRequestPresentationV2Message,
} from '@credo-ts/didcomm'
import type { Attached } from './checks.ts'

/**
 * Whether all formats of a request were proposed. Credo compares only the proposed ones, and a request may add another.
 */
export const isAsProposed = async (
  agentContext: AgentContext,
  proofRecord: DidCommProofExchangeRecord,
  requested: Attached[],
  proposed: Attached[],
): Promise<boolean> => {
  for (const { format, attachment: requestAttachment } of requested) {
    const proposalAttachment = proposed.find((one) => one.format === format)?.attachment
    if (proposalAttachment === undefined) return false
    const compared = { proofRecord, requestAttachment, proposalAttachment }
    if (!(await format.shouldAutoRespondToRequest(agentContext, compared))) return false
  }
  return true
}

const ANONCREDS_PRESENTATION = 'anoncreds/proof@v1.0'
const INDY_PRESENTATION = 'hlindy/proof@v2.0'
const ANONCREDS_REQUEST = 'anoncreds/proof-request@v1.0'
const INDY_REQUEST = 'hlindy/proof-req@v2.0'

/** Renames the format: ACA-Py answers a request in the older format with the newer one, whose content is equal. */
export const renameToRequested = async (
  { agentContext, message }: DidCommInboundMessageContext<DidCommPresentationV2Message>,
  { id }: DidCommProofExchangeRecord,
): Promise<void> => {
  const newer = message.formats.filter(({ format }) => format === ANONCREDS_PRESENTATION)
  if (newer.length === 0) return
  const request = await agentContext.resolve(DidCommMessageRepository).getAgentMessage(agentContext, {
    associatedRecordId: id,
    messageClass: DidCommRequestPresentationV2Message,
    role: DidCommMessageRole.Sender,
  })
  const requested = request.formats.map(({ format }) => format)
  if (!requested.includes(INDY_REQUEST) || requested.includes(ANONCREDS_REQUEST)) return
  for (const spec of newer) spec.format = INDY_PRESENTATION
}

/**
 * Stores a rejected AnonCreds presentation, which Credo does in version 1 only: form data shows what is missing in it.
 */
export const storeRejected = async (
  { agentContext, message }: DidCommInboundMessageContext<DidCommPresentationV2Message>,
  { id }: DidCommProofExchangeRecord,
): Promise<void> => {
  if (!message.formats.some(({ format }) => format === ANONCREDS_PRESENTATION || format === INDY_PRESENTATION)) return
  await agentContext.resolve(DidCommMessageRepository).saveOrUpdateAgentMessage(agentContext, {
    agentMessage: message,
    role: DidCommMessageRole.Receiver,
    associatedRecordId: id,
  })
}
