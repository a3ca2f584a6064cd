/** Proof proposals (Aries RFC 0037 and 0454): provers send them, and verifiers turn them into requests. */
import { DidCommPresentationV1Preview, DidCommProposePresentationV1Message } from '@credo-ts/anoncreds'
import { DidCommMessageRepository, type DidCommProofExchangeRecord, DidCommProofState } from '@credo-ts/didcomm'
import { invalidField } from '../../../errors.ts'
import type { ProofProposal, ProposalAcceptance } from '../../../interface/proof-proposal.ts'
import { defined, isObject } from '../../../json.ts'
import { requestOfPreview } from '../../../records/proof-form-data.ts'
import { type RecordJson, toRecordJson } from '../../../records/record-json.ts'
import type { TenantAgent } from '../../credo/index.ts'
import { beginExchange } from '../index.ts'
import { type Prepared, type RequestedFormats, withPrepared } from './requests.ts'
import { continueProofExchange, messageOptions } from './steps.ts'

type Proofs = TenantAgent['didcomm']['proofs']
type ProposeOptions = Parameters<Proofs['proposeProof']>[0]
type NegotiateOptions = Parameters<Proofs['negotiateProposal']>[0]

/**
 * Proposes a proof on a connection in the running unit of work. Returns the exchange record (`proposal-sent`). Throws
 * `resource.not_found`, `connection.not_ready` and `connection.no_endpoint`.
 */
export const proposeProof = (proposal: ProofProposal): Promise<RecordJson> =>
  beginExchange(proposal.connectionId, toRecordJson, ({ didcomm }) => {
    const { connectionId, protocolVersion, proofFormats, parentThreadId } = proposal
    return didcomm.proofs.proposeProof({
      ...{ connectionId, protocolVersion },
      // The contract has checked them.
      proofFormats: defined(proofFormats) as object as ProposeOptions['proofFormats'],
      ...messageOptions(proposal),
      ...defined({ parentThreadId }),
    })
  })

/** Requested contents, by format. */
type Formats = Record<string, unknown>

/**
 * Requests the proposed proof. Formats of the acceptance replace the proposed ones. `prepared` has the contexts that
 * were fetched for them: addresses that a prover names are not fetched. `check` applies the rules of requests to all
 * formats, and throws `request.invalid`.
 */
export const acceptProofProposal = (
  proofRecordId: string,
  acceptance: ProposalAcceptance,
  prepared: Prepared,
  check: (formats: Formats) => RequestedFormats,
): Promise<RecordJson> => {
  if ((acceptance.proofRecordId ?? proofRecordId) !== proofRecordId)
    throw invalidField('proofRecordId', 'is not the record of the path')
  return continueProofExchange(proofRecordId, DidCommProofState.ProposalReceived, async (agent, exchange) => {
    const proposed = await proposedIn(agent, exchange)
    const formats = withPrepared(check({ ...proposed, ...defined(acceptance.proofFormats) }), prepared)
    return agent.didcomm.proofs.negotiateProposal({
      proofExchangeRecordId: exchange.id,
      proofFormats: formats as NegotiateOptions['proofFormats'],
      ...messageOptions(acceptance),
    })
  })
}

/** The proposal as a request, by format. */
const proposedIn = async (agent: TenantAgent, exchange: DidCommProofExchangeRecord): Promise<Formats> => {
  const { context, didcomm } = agent
  if (exchange.protocolVersion === 'v1') {
    const { presentationProposal } = await context.resolve(DidCommMessageRepository).getAgentMessage(context, {
      associatedRecordId: exchange.id,
      messageClass: DidCommProposePresentationV1Message,
    })
    return { indy: requestOfPreview(new DidCommPresentationV1Preview(presentationProposal).toJSON(), {}) }
  }
  const { proposal = {} } = await didcomm.proofs.getFormatData(exchange.id)
  return Object.fromEntries(
    Object.entries(proposal).map(([format, content]) => [
      format,
      format === 'presentationExchange' ? { presentationDefinition: content } : withoutNonce(content),
    ]),
  )
}

/** The verifier adds its own nonce. */
const withoutNonce = (content: unknown): unknown => {
  if (!isObject(content)) return content
  const { nonce: _, ver: __, ...request } = content
  return request
}
