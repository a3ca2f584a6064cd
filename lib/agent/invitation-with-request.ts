/** Single-use invitations that carry a request or an offer (Aries RFC 0434, "requests~attach"). */
import { randomUUID } from 'node:crypto'
import { type DidCommMessage, DidCommOutOfBandRepository } from '@credo-ts/didcomm'
import { invalidField } from '../errors.ts'
import { toOutOfBandJson } from '../records/out-of-band.ts'
import type { RecordJson } from '../records/record-json.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { readTenant } from '../store/tenants.ts'
import { currentUnit } from '../store/transaction.ts'
import type { TenantAgent } from './agent.ts'
import { defined } from './defined.ts'
import { assertReachableDid, didOfKey, freshPeerDid } from './dids.ts'
import { toStored } from './storage-service.ts'

export interface InvitationOptions {
  goalCode?: string | undefined
  /** Parent thread of what is carried; the invitation itself where absent. */
  parentThreadId?: string | undefined
  label?: string | undefined
  imageUrl?: string | undefined
  recipientKey?: string | undefined
  invitationDid?: string | undefined
}

export interface InvitationAnswer {
  invitationUrl: string
  invitation: Record<string, unknown>
  outOfBandRecord: RecordJson
  invitationDid: string
}

/**
 * Makes a message, by `carry`, and the invitation that carries it, in the running unit of work. RFC 0434: what is attached to an invitation has
 * it as its parent thread.
 * Throws `resource.not_found` (tenant), and `request.invalid` for a DID or key that is not this agent's.
 */
export const inviteWith = async <T extends { message: DidCommMessage }>(
  agent: TenantAgent,
  options: InvitationOptions,
  carry: (parentThreadId: string) => Promise<T>,
): Promise<{ carried: T; answer: InvitationAnswer }> => {
  const { label, connectionImageUrl } = await profileOf(currentUnit().tenant)
  const invitationDid = await invitationDidOf(agent, options)
  const invitationId = randomUUID()
  const carried = await carry(options.parentThreadId ?? invitationId)
  const outOfBandRecord = await agent.didcomm.oob.createInvitation({
    label: options.label ?? label,
    ...defined({ imageUrl: options.imageUrl ?? connectionImageUrl, goalCode: options.goalCode }),
    invitationDid,
    messages: [carried.message],
    handshake: true,
    multiUseInvitation: false,
    autoAcceptConnection: true,
  })
  const { outOfBandInvitation } = outOfBandRecord
  // Credo takes no id for an invitation, and the request names it.
  outOfBandInvitation.id = invitationId
  await agent.context.resolve(DidCommOutOfBandRepository).update(agent.context, outOfBandRecord)
  const invitation = outOfBandInvitation.toJSON()
  const answer = {
    invitationUrl: outOfBandInvitation.toUrl({ domain: settings().PUBLIC_URL }),
    invitation: { ...invitation, messageType: invitation['@type'] },
    outOfBandRecord: toOutOfBandJson(toStored(agent.context, outOfBandRecord)),
    invitationDid,
  }
  return { carried, answer }
}

/** What wallets show of the agent. */
const profileOf = async (tenant: string): Promise<{ label: string; connectionImageUrl?: string | undefined }> =>
  tenant === BASE_AGENT ? { label: settings().AGENT_LABEL } : readTenant(tenant, currentUnit())

/**
 * The DID that names the agent in the invitation. A recipient key stands for the DID that it is a key of: with DIDComm v1,
 * which finds a connection by its key, the same key in an inline service could not become a connection (ADR 0004).
 */
const invitationDidOf = async (
  agent: TenantAgent,
  { invitationDid, recipientKey }: InvitationOptions,
): Promise<string> => {
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
