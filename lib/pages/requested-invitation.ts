/** Finds the invitation of an address. The answer is always the stored invitation, not the one in the address. */
import { isDeepStrictEqual } from 'node:util'
import { AgentError } from '../errors.ts'
import { isNestedDeeperThan, isObject, type JsonObject, MAX_DEPTH, parseBase64 } from '../json.ts'
import { findPublishedInvitation } from '../store/published-invitations.ts'

/** The same message whether there is no such invitation, it was altered, or the address contains something else. */
const notFound = (): AgentError => new AgentError('resource.not_found', 'there is no such invitation')

/** An invitation by its `@id`. Throws `resource.not_found`, and `resource.gone` if it was used or deleted. */
export const requireInvitation = async (id: string): Promise<JsonObject> => {
  const found = await findPublishedInvitation(id)
  if (found === undefined) throw notFound()
  if (found === 'gone') throw new AgentError('resource.gone', 'the invitation was used or deleted')
  return found
}

/** The query of the long address. */
interface Encoded {
  oob?: string | undefined
  c_i?: string | undefined
}

/** The invitation in a long address, if it equals the stored one. Throws the same errors as `requireInvitation`. */
export const requireUnaltered = async ({ oob, c_i }: Encoded): Promise<JsonObject> => {
  const given = parseBase64(oob ?? c_i ?? '')
  if (!isObject(given) || typeof given['@id'] !== 'string' || isNestedDeeperThan(given, MAX_DEPTH)) throw notFound()
  const invitation = await requireInvitation(given['@id'])
  if (!isDeepStrictEqual(given, invitation)) throw notFound()
  return invitation
}
