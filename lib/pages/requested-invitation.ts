/** The invitation that an address names: as the table has it, never as the address does. */
import { isDeepStrictEqual } from 'node:util'
import { AgentError } from '../errors.ts'
import { isNestedDeeperThan, isObject, type JsonObject, MAX_DEPTH, parseBase64 } from '../json.ts'
import { findPublishedInvitation } from '../store/published-invitations.ts'

/** The same words, whether there never was one, it was altered, or the address holds something else. */
const notFound = (): AgentError => new AgentError('resource.not_found', 'there is no such invitation')

/** In one read. Throws `resource.not_found`, and `resource.gone` where it was used or deleted. */
export const requireInvitation = async (id: string): Promise<JsonObject> => {
  const found = await findPublishedInvitation(id)
  if (found === undefined) throw notFound()
  if (found === 'gone') throw new AgentError('resource.gone', 'the invitation was used or deleted')
  return found
}

/** By the names of the query's parameters. */
interface Encoded {
  oob?: string | undefined
  c_i?: string | undefined
}

/** Of the long form, whose every word has to be the agent's. Throws as `requireInvitation`. */
export const requireUnaltered = async ({ oob, c_i }: Encoded): Promise<JsonObject> => {
  const given = parseBase64(oob ?? c_i ?? '')
  if (!isObject(given) || typeof given['@id'] !== 'string' || isNestedDeeperThan(given, MAX_DEPTH)) throw notFound()
  const invitation = await requireInvitation(given['@id'])
  if (!isDeepStrictEqual(given, invitation)) throw notFound()
  return invitation
}
