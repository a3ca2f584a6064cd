/** The agent's name, DID and keys in invitations, and the response of the operations that create one. */
import type { DidCommConnectionInvitationMessage, DidCommOutOfBandRecord, DidCommRouting } from '@credo-ts/didcomm'
import type * as v from 'valibot'
import { AgentError, invalidField } from '../../errors.ts'
import type { INVITATION_FIELDS } from '../../interface/invitation.ts'
import { defined } from '../../json.ts'
import { type RecordJson, toRecordJson } from '../../records/record-json.ts'
import { BASE_AGENT } from '../../records/tenant.ts'
import { settings } from '../../settings.ts'
import { currentUnit } from '../../store/transaction.ts'
import { readTenant } from '../../tenants/tenants.ts'
import { endpointOf, storedForm, type TenantAgent } from '../credo/index.ts'
import { assertReachableDid, didOfKey, freshPeerDid, ownKey } from '../dids/index.ts'

/** The options of a request for the invitation that carries its message. */
export type InvitationOptions = v.InferOutput<v.ObjectSchema<typeof INVITATION_FIELDS, undefined>>

export interface InvitationResponse {
  invitationUrl: string
  invitation: Record<string, unknown>
  shortInvitationUrl: string
  outOfBandRecord: RecordJson
  invitationDid: string
}

/**
 * The response with an invitation of the running unit of work; `legacy` is its form in connections/1.0. The URL has the
 * invitation in a query parameter (Aries RFC 0434 and 0160, "Standard Out-of-Band Message Encoding").
 */
export const toInvitationResponse = async (
  { context }: TenantAgent,
  record: DidCommOutOfBandRecord,
  legacy?: DidCommConnectionInvitationMessage,
): Promise<InvitationResponse> => {
  const { PUBLIC_URL } = settings()
  const outOfBandRecord = toRecordJson(await storedForm(context, record))
  const invitation = legacy?.toJSON() ?? (outOfBandRecord.outOfBandInvitation as Record<string, unknown>)
  const [parameter, invitationId] = legacy === undefined ? ['oob', record.outOfBandInvitation.id] : ['c_i', legacy.id]
  const [service] = record.outOfBandInvitation.getServices()
  const invitationDid = typeof service === 'string' ? service : service?.recipientKeys[0]
  if (invitationDid === undefined) throw new AgentError('internal', 'the invitation has no service')
  return {
    invitationUrl: `${PUBLIC_URL}?${parameter}=${Buffer.from(JSON.stringify(invitation)).toString('base64url')}`,
    invitation: { ...invitation, messageType: invitation['@type'] },
    shortInvitationUrl: `${PUBLIC_URL}/url/${invitationId}`,
    outOfBandRecord,
    invitationDid,
  }
}

/** Label and image that other agents show: those of the request, otherwise the agent's. */
export const labelAndImage = async ({ label, imageUrl }: Pick<InvitationOptions, 'label' | 'imageUrl'>) => {
  const unit = currentUnit()
  const agent: { label: string; connectionImageUrl?: string | undefined } =
    unit.tenant === BASE_AGENT ? { label: settings().AGENT_LABEL } : await readTenant(unit.tenant, unit)
  return { label: label ?? agent.label, ...defined({ imageUrl: imageUrl ?? agent.connectionImageUrl }) }
}

/**
 * The agent's DID for an invitation; a recipient key is resolved to its DID
 * (docs/adr/0004-a-recipient-key-stands-for-its-did.md). Throws `request.invalid` for a DID or key that is not this
 * agent's.
 */
export const invitationDidOf = async (
  agent: TenantAgent,
  { invitationDid, recipientKey }: Pick<InvitationOptions, 'invitationDid' | 'recipientKey'>,
): Promise<string> => {
  if (recipientKey !== undefined) {
    const did = await didOfKey(agent, recipientKey)
    if (invitationDid !== undefined && invitationDid !== did)
      throw invalidField('recipientKey', 'must be a key of invitationDid')
    return did
  }
  if (invitationDid === undefined) return freshPeerDid(agent)
  await assertReachableDid(agent, invitationDid, 'invitationDid')
  return invitationDid
}

/** An inline service with a key of the agent. Throws `request.invalid` for a key that is not this agent's. */
export const routingOf = async (agent: TenantAgent, recipientKey: string): Promise<DidCommRouting> => ({
  endpoints: [endpointOf(currentUnit().tenant)],
  routingKeys: [],
  recipientKey: await ownKey(agent, recipientKey),
})
