/** DIDs of this agent by which anybody may ask for a connection: an invitation named them, or they were made to be known. */
import type { AgentContext } from '@credo-ts/core'
import { PUBLIC_DID } from '../records/did.ts'
import { findInvitationsOfKey } from './invitations.ts'
import type { Ed25519Key } from './keys/ed25519-key.ts'
import { findOwnDid } from './own-dids.ts'

/** Whether a key is of a DID of ours that is known to others. */
export const isPublic = async (agentContext: AgentContext, did: string, key: Ed25519Key): Promise<boolean> => {
  const record = await findOwnDid({ context: agentContext }, did)
  if (!record?.getTags().recipientKeyFingerprints?.includes(key.fingerprint)) return false
  if (record.getTag(PUBLIC_DID) === true) return true
  const invitations = await findInvitationsOfKey(agentContext, key.fingerprint)
  return invitations.some(({ outOfBandInvitation }) => outOfBandInvitation.getDidServices().includes(did))
}
