/** Public DIDs of this agent: anybody may request a connection with them, because an invitation named them or they were created as public. */
import type { AgentContext } from '@credo-ts/core'
import { PUBLIC_DID } from '../records/did.ts'
import { findInvitationsOfKey } from './invitations.ts'
import type { Ed25519Key } from './keys/ed25519-key.ts'
import { findOwnDid } from './own-dids.ts'

/** Whether a key belongs to this DID of ours, and the DID is public. */
export const isPublic = async (agentContext: AgentContext, did: string, key: Ed25519Key): Promise<boolean> => {
  const record = await findOwnDid({ context: agentContext }, did)
  if (!record?.getTags().recipientKeyFingerprints?.includes(key.fingerprint)) return false
  if (record.getTag(PUBLIC_DID) === true) return true
  const invitations = await findInvitationsOfKey(agentContext, key.fingerprint)
  return invitations.some(({ outOfBandInvitation }) => outOfBandInvitation.getDidServices().includes(did))
}
