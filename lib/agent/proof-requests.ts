/** Out-of-band proof requests (Aries RFC 0434 with RFC 0037 and 0454). */
import type { DidCommAutoAcceptProof } from '@credo-ts/didcomm'
import { currentAgent, type TenantAgent } from './agent.ts'
import { defined } from './defined.ts'
import { type InvitationOptions, type InvitationWithRequest, inviteWith } from './invitation-with-request.ts'

export interface ProofRequest extends InvitationOptions {
  protocolVersion: 'v1' | 'v2'
  /** Formats as Credo takes them, checked by the contract. */
  proofFormats: object
  autoAcceptProof: `${DidCommAutoAcceptProof}`
  willConfirm?: boolean | undefined
  comment?: string | undefined
}

export interface OutOfBandProofRequest extends InvitationWithRequest {
  proofRecordId: string
  proofRecordThId: string
}

/**
 * Makes a proof request and the single-use invitation that carries it, in the running unit of work.
 * Throws `resource.not_found` (tenant), and `request.invalid` for a DID or key that is not this agent's.
 */
export const createProofRequest = async (request: ProofRequest): Promise<OutOfBandProofRequest> => {
  const agent = await currentAgent()
  const { carried, answer } = await inviteWith(agent, request, (parentThreadId) =>
    agent.didcomm.proofs.createRequest(toCreateOptions(request, parentThreadId)),
  )
  const { id, threadId } = carried.proofRecord
  return { ...answer, proofRecordId: id, proofRecordThId: threadId }
}

type CreateOptions = Parameters<TenantAgent['didcomm']['proofs']['createRequest']>[0]

const toCreateOptions = (request: ProofRequest, parentThreadId: string): CreateOptions => {
  const { protocolVersion, proofFormats, autoAcceptProof, goalCode, willConfirm, comment } = request
  return {
    protocolVersion,
    // The contract has checked that the formats suit the version.
    proofFormats: proofFormats as CreateOptions['proofFormats'],
    autoAcceptProof: autoAcceptProof as DidCommAutoAcceptProof,
    parentThreadId,
    ...defined({ goalCode, willConfirm, comment }),
  }
}
