/** Proof requests (Aries RFC 0037 and 0454), on a connection or in an invitation (RFC 0434). */
import type { DidCommAutoAcceptProof } from '@credo-ts/didcomm'
import { defined } from '../../json.ts'
import { toProofJson } from '../../records/proof.ts'
import type { RecordJson } from '../../records/record-json.ts'
import { currentAgent, type TenantAgent } from '../agent.ts'
import { readyConnection, send } from '../connections/ready-connection.ts'
import { type InvitationOptions, inviteWith } from '../invitations/invitation-with-request.ts'
import type { InvitationAnswer } from '../invitations/inviter.ts'
import { toStored } from '../storage-service.ts'

interface Request {
  protocolVersion: 'v1' | 'v2'
  /** Formats for Credo, checked by the contract. */
  proofFormats: object
  autoAcceptProof: `${DidCommAutoAcceptProof}`
  willConfirm?: boolean | undefined
  comment?: string | undefined
  goalCode?: string | undefined
}

export type ProofRequest = Request & InvitationOptions

export interface OutOfBandProofRequest extends InvitationAnswer {
  proofRecordId: string
  proofRecordThId: string
}

/**
 * Creates a proof request and the single-use invitation that carries it, in the running unit of work. Throws `resource.not_found` (tenant), and
 * `request.invalid` for a DID or key that is not this agent's.
 */
export const createProofRequest = async (request: ProofRequest): Promise<OutOfBandProofRequest> => {
  const agent = await currentAgent()
  const { carried, answer } = await inviteWith(agent, request, (parentThreadId) =>
    agent.didcomm.proofs.createRequest(toCreateOptions(request, parentThreadId)),
  )
  const { id, threadId } = carried.proofRecord
  return { ...answer, proofRecordId: id, proofRecordThId: threadId }
}

/**
 * Requests a proof on a connection in the running unit of work. Returns the exchange record (`request-sent`). Throws `resource.not_found`,
 * `connection.not_ready`, `connection.no_endpoint`, and `request.invalid` for contexts that conflict with each other.
 */
export const requestProof = async (
  request: Request & { connectionId: string; parentThreadId?: string | undefined },
): Promise<RecordJson> => {
  const { connectionId, parentThreadId } = request
  const agent = await currentAgent()
  await readyConnection(agent.context, connectionId)
  const record = await send(() =>
    agent.didcomm.proofs.requestProof({ ...toCreateOptions(request, parentThreadId), connectionId }),
  )
  return toProofJson(toStored(agent.context, record))
}

type CreateOptions = Parameters<TenantAgent['didcomm']['proofs']['createRequest']>[0]

const toCreateOptions = (request: Request, parentThreadId: string | undefined): CreateOptions => {
  const { protocolVersion, proofFormats, autoAcceptProof, goalCode, willConfirm, comment } = request
  return {
    protocolVersion,
    // The contract has checked that the formats belong to the version.
    proofFormats: proofFormats as CreateOptions['proofFormats'],
    autoAcceptProof: autoAcceptProof as DidCommAutoAcceptProof,
    ...defined({ parentThreadId, goalCode, willConfirm, comment }),
  }
}
