/** Out-of-band proof requests (Aries RFC 0434 with RFC 0037 and 0454). */
import { randomUUID } from 'node:crypto'
import { type DidCommAutoAcceptProof, DidCommOutOfBandRepository } from '@credo-ts/didcomm'
import { invalidField } from '../errors.ts'
import { toOutOfBandJson } from '../records/out-of-band.ts'
import type { RecordJson } from '../records/record-json.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { readTenant } from '../store/tenants.ts'
import { currentUnit } from '../store/transaction.ts'
import { currentAgent, type TenantAgent } from './agent.ts'
import { defined } from './defined.ts'
import { assertReachableDid, didOfKey, freshPeerDid } from './dids.ts'
import { toStored } from './storage-service.ts'

export interface ProofRequest {
  protocolVersion: 'v1' | 'v2'
  /** Formats as Credo takes them, checked by the contract. */
  proofFormats: object
  autoAcceptProof: `${DidCommAutoAcceptProof}`
  goalCode?: string | undefined
  parentThreadId?: string | undefined
  willConfirm?: boolean | undefined
  comment?: string | undefined
  label?: string | undefined
  imageUrl?: string | undefined
  recipientKey?: string | undefined
  invitationDid?: string | undefined
}

export interface OutOfBandProofRequest {
  invitationUrl: string
  invitation: Record<string, unknown>
  outOfBandRecord: RecordJson
  invitationDid: string
  proofRecordId: string
  proofRecordThId: string
}

/**
 * Makes a proof request and the single-use invitation that carries it, in the running unit of work.
 * Throws `resource.not_found` (tenant), and `request.invalid` for a DID or key that is not this agent's.
 */
export const createProofRequest = async (request: ProofRequest): Promise<OutOfBandProofRequest> => {
  const { label, connectionImageUrl } = await profileOf(currentUnit().tenant)
  const agent = await currentAgent()
  const invitationDid = await invitationDidOf(agent, request)
  const invitationId = randomUUID()
  const { message, proofRecord } = await agent.didcomm.proofs.createRequest(toCreateOptions(request, invitationId))
  const outOfBandRecord = await agent.didcomm.oob.createInvitation({
    label: request.label ?? label,
    ...defined({ imageUrl: request.imageUrl ?? connectionImageUrl, goalCode: request.goalCode }),
    invitationDid,
    messages: [message],
    handshake: true,
    multiUseInvitation: false,
    autoAcceptConnection: true,
  })
  const { outOfBandInvitation } = outOfBandRecord
  // Credo takes no id for an invitation, and the request names it.
  outOfBandInvitation.id = invitationId
  await agent.context.resolve(DidCommOutOfBandRepository).update(agent.context, outOfBandRecord)
  const invitation = outOfBandInvitation.toJSON()
  return {
    invitationUrl: outOfBandInvitation.toUrl({ domain: settings().PUBLIC_URL }),
    invitation: { ...invitation, messageType: invitation['@type'] },
    outOfBandRecord: toOutOfBandJson(toStored(agent.context, outOfBandRecord)),
    invitationDid,
    proofRecordId: proofRecord.id,
    proofRecordThId: proofRecord.threadId,
  }
}

/** What wallets show of the agent. */
const profileOf = async (tenant: string): Promise<{ label: string; connectionImageUrl?: string | undefined }> =>
  tenant === BASE_AGENT ? { label: settings().AGENT_LABEL } : readTenant(tenant, currentUnit())

/**
 * The DID that names the agent in the invitation. A recipient key stands for the DID that it is a key of: with DIDComm v1,
 * which finds a connection by its key, the same key in an inline service could not become a connection (ADR 0004).
 */
const invitationDidOf = async (agent: TenantAgent, { invitationDid, recipientKey }: ProofRequest): Promise<string> => {
  if (recipientKey !== undefined) {
    const did = await didOfKey(agent, recipientKey)
    if (invitationDid !== undefined && invitationDid !== did)
      throw invalidField('recipientKey', 'is no key of invitationDid')
    return did
  }
  if (invitationDid === undefined) return freshPeerDid(agent)
  await assertReachableDid(agent, invitationDid, 'invitationDid')
  return invitationDid
}

type CreateOptions = Parameters<TenantAgent['didcomm']['proofs']['createRequest']>[0]

/** RFC 0434: a request that is attached to an invitation has it as its parent thread. */
const toCreateOptions = (request: ProofRequest, invitationId: string): CreateOptions => {
  const { protocolVersion, proofFormats, autoAcceptProof, goalCode, willConfirm, comment } = request
  return {
    protocolVersion,
    // The contract has checked that the formats suit the version.
    proofFormats: proofFormats as CreateOptions['proofFormats'],
    autoAcceptProof: autoAcceptProof as DidCommAutoAcceptProof,
    parentThreadId: request.parentThreadId ?? invitationId,
    ...defined({ goalCode, willConfirm, comment }),
  }
}
