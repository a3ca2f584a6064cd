/** Out-of-band proof requests (Aries RFC 0434 with RFC 0037 and 0454). */
import type { DidCommAutoAcceptProof, DidCommRouting } from '@credo-ts/didcomm'
import { AgentError } from '../errors.ts'
import { toOutOfBandJson } from '../records/out-of-band.ts'
import type { RecordJson } from '../records/stored-record.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { readTenant } from '../store/tenants.ts'
import { currentUnit } from '../store/transaction.ts'
import { currentAgent, type TenantAgent } from './agent.ts'
import { freshPeerDid, ownDid, ownKey } from './dids.ts'
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
  const service = await invitationService(agent, request)
  const { message, proofRecord } = await agent.didcomm.proofs.createRequest(toCreateOptions(request))
  const outOfBandRecord = await agent.didcomm.oob.createInvitation({
    label: request.label ?? label,
    ...defined({ imageUrl: request.imageUrl ?? connectionImageUrl, goalCode: request.goalCode }),
    ...('routing' in service ? { routing: service.routing } : { invitationDid: service.did }),
    messages: [message],
    handshake: true,
    multiUseInvitation: false,
    autoAcceptConnection: true,
  })
  const { outOfBandInvitation } = outOfBandRecord
  const invitation = outOfBandInvitation.toJSON()
  return {
    invitationUrl: outOfBandInvitation.toUrl({ domain: settings().PUBLIC_URL }),
    invitation: { ...invitation, messageType: invitation['@type'] },
    outOfBandRecord: toOutOfBandJson(toStored(agent.context, outOfBandRecord)),
    invitationDid: service.did,
    proofRecordId: proofRecord.id,
    proofRecordThId: proofRecord.threadId,
  }
}

/** What wallets show of the agent. */
const profileOf = async (tenant: string): Promise<{ label: string; connectionImageUrl?: string | undefined }> =>
  tenant === BASE_AGENT ? { label: settings().AGENT_LABEL } : currentUnit().attempt(() => readTenant(tenant))

/** How the invitation names the agent: by a DID, or by a key in an inline service. */
const invitationService = async (
  agent: TenantAgent,
  { invitationDid, recipientKey }: ProofRequest,
): Promise<{ did: string; routing?: DidCommRouting }> => {
  if (recipientKey !== undefined) return ownKey(agent, recipientKey)
  if (invitationDid === undefined) return { did: await freshPeerDid(agent) }
  const { did, didDocument } = await ownDid(agent, invitationDid, 'invitationDid')
  if (didDocument !== undefined && didDocument.didCommServices.length === 0)
    throw new AgentError('request.invalid', 'the request breaks its schema', {
      details: [{ path: 'invitationDid', message: 'names no DIDComm service' }],
    })
  return { did }
}

type CreateOptions = Parameters<TenantAgent['didcomm']['proofs']['createRequest']>[0]

const toCreateOptions = (request: ProofRequest): CreateOptions => {
  const { protocolVersion, proofFormats, autoAcceptProof, goalCode, parentThreadId, willConfirm, comment } = request
  return {
    protocolVersion,
    // The contract has checked that the formats suit the version.
    proofFormats: proofFormats as CreateOptions['proofFormats'],
    autoAcceptProof: autoAcceptProof as DidCommAutoAcceptProof,
    ...defined({ goalCode, parentThreadId, willConfirm, comment }),
  }
}

/** Without the keys that have no value: Credo tells `undefined` from absent. */
const defined = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
