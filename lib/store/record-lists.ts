/** Lists of an agent's records, with filters. */
import { everyPartition, hasCopies, tagPartition } from './index-entries.ts'
import { filterBy, type ListPage, type ListQuery, listIndexed, listRecords } from './record-reads.ts'

/** Filters with a list of their own, the most selective first. */
const SELECTIVE: Record<string, readonly string[]> = {
  ConnectionRecord: ['outOfBandId', 'theirDid', 'did', 'alias'],
  CredentialDefinitionRecord: [],
  CredentialRecord: ['threadId', 'parentThreadId', 'connectionId'],
  OutOfBandRecord: ['invitationId'],
  ProofRecord: ['threadId', 'parentThreadId', 'connectionId'],
  QuestionAnswerRecord: ['threadId', 'connectionId'],
  W3cCredentialRecord: [],
}

/**
 * One page of a tenant's records whose fields or tags have the values of the query, from the shortest list that has them all. `type`: Credo's
 * record type.
 */
export const listFiltered = (
  tenant: string,
  type: string,
  { limit, order, cursor, ...filters }: ListQuery & Record<string, unknown>,
): Promise<ListPage> => {
  const tag = SELECTIVE[type]?.find((name) => typeof filters[name] === 'string')
  const partition =
    tag === undefined ? everyPartition(tenant, type) : tagPartition(tenant, type, tag, String(filters[tag]))
  const list = hasCopies(type, tag) ? listRecords : listIndexed
  return list(partition, { limit, order, cursor }, filterBy(filters))
}
