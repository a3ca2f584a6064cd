/** Which invitation of an out-of-band record its page shows. */
import { isObject } from '../json.ts'

/**
 * The `@id` of an invitation that the agent has created. A DID stands for requests without an invitation, and other
 * agents may have the same DID.
 */
export const createdInvitationId = ({ role, outOfBandInvitation }: Record<string, unknown>): string | undefined => {
  const id = role === 'sender' && isObject(outOfBandInvitation) ? outOfBandInvitation['@id'] : undefined
  return typeof id === 'string' && !id.startsWith('did:') ? id : undefined
}
