/** Reads status lists by their addresses: those of this service from the table, all other ones by HTTP. */
import * as v from 'valibot'
import { isAgentError } from '../errors.ts'
import { PublicId } from '../records/openid4vp.ts'
import { EntityId } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { StatusListError } from './errors.ts'
import { fetchStatusList } from './fetch-list.ts'
import { statusListUri } from './lists.ts'
import { statusListToken } from './token.ts'

/** Whether a list is one of this service, or claims to be. It is never cached: a change takes effect immediately. */
export const isOwnList = (uri: string): boolean => uri.startsWith(`${settings().PUBLIC_URL}/oid4vci/`)

const OwnList = v.object({ issuerId: PublicId, listId: EntityId })

/** The JWT of a list, as any verifier gets it. Throws a StatusListError. */
export const readList = async (uri: string): Promise<string> => {
  if (!isOwnList(uri)) return fetchStatusList(uri)
  const [, issuerId, listId] = /\/oid4vci\/([^/]+)\/status\/([^/]+)$/.exec(uri) ?? []
  const list = v.safeParse(OwnList, { issuerId, listId })
  if (!list.success || statusListUri(list.output.issuerId, list.output.listId) !== uri)
    throw new StatusListError('there is no such list')
  try {
    return (await statusListToken(list.output)).jwt
  } catch (error) {
    throw isAgentError(error, 'resource.not_found') ? new StatusListError('there is no such list') : error
  }
}
