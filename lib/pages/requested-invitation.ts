/** Finds the invitation of an address. It is always the stored one, not the one in the address. */
import { isDeepStrictEqual } from 'node:util'
import { AgentError } from '../errors.ts'
import { isNestedDeeperThan, isObject, type JsonObject, MAX_DEPTH, parseBase64 } from '../json.ts'
import { findPublishedInvitation } from '../readers/published-invitations.ts'

/** The same message whether there is no such invitation, it was altered, or the address contains something else. */
const notFound = (): AgentError => new AgentError('resource.not_found', 'there is no such invitation')

/** An invitation by its `@id`. Throws `resource.not_found`, and `resource.gone` if it was used or deleted. */
export const requireInvitation = async (id: string): Promise<JsonObject> => {
  const invitation = await findPublishedInvitation(id)
  if (invitation === undefined) throw notFound()
  if (invitation === 'gone') throw new AgentError('resource.gone', 'the invitation was used or deleted')
  return invitation
}

/** The query of the long address. */
interface Encoded {
  oob?: string | undefined
  c_i?: string | undefined
}

/** The invitation in a long address, if it equals the stored one. Throws the same errors as `requireInvitation`. */
export const requireUnaltered = async ({ oob, c_i }: Encoded): Promise<JsonObject> => {
  const encoded = parseBase64(oob ?? c_i ?? '')
  if (!isObject(encoded) || typeof encoded['@id'] !== 'string' || isNestedDeeperThan(encoded, MAX_DEPTH))
    throw notFound()
  const invitation = await requireInvitation(encoded['@id'])
  if (!isDeepStrictEqual(encoded, invitation)) throw notFound()
  return invitation
}
