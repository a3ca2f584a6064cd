/** Reads the statuses of all credentials of a response, side by side and within bounds. */
import { StatusListError } from './errors.ts'
import { readList } from './own-list.ts'
import { type CredentialStatus, type ReadOptions, readStatus } from './read.ts'

/** Lists that are fetched for one response. */
const MAX_LISTS = 4
/** For all of them. */
const MAX_MS = 4_000

/** A credential's `status_list`, and who may sign that list. */
export interface StatusReference extends Pick<ReadOptions, 'keyOf'> {
  uri: unknown
  idx: unknown
}

export type StatusOutcome = { status: CredentialStatus } | { status: 'unreadable'; reason: string }

interface Options extends Omit<ReadOptions, 'keyOf'> {
  /** What is left for the response. Default 4 s. */
  milliseconds?: number
}

/** Each list is fetched once. */
const fetchOnce = (fetchList: (uri: string) => Promise<string>) => {
  const lists = new Map<string, Promise<string>>()
  return async (uri: string): Promise<string> => {
    const running = lists.get(uri)
    if (running !== undefined) return running
    if (lists.size === MAX_LISTS) throw new StatusListError(`over ${MAX_LISTS} status lists in one response`)
    const list = fetchList(uri)
    lists.set(uri, list)
    return list
  }
}

/** The outcomes in the order of the references. Other errors than a StatusListError are thrown. */
export const readStatuses = async (
  references: readonly StatusReference[],
  { fetchList = readList, now, milliseconds = MAX_MS }: Options = {},
): Promise<StatusOutcome[]> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StatusListError('the lists cannot be read in time')), milliseconds)
  })
  const options = { fetchList: fetchOnce(fetchList), now }
  const outcomeOf = async ({ uri, idx, keyOf }: StatusReference): Promise<StatusOutcome> => {
    try {
      return { status: await Promise.race([readStatus({ uri, idx }, { ...options, keyOf }), timeout]) }
    } catch (error) {
      if (error instanceof StatusListError) return { status: 'unreadable', reason: error.reason }
      throw error
    }
  }
  try {
    return await Promise.all(references.map(outcomeOf))
  } finally {
    clearTimeout(timer)
  }
}
