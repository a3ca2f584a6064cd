/** Fetches status lists of third parties with the guarded client. */
import { follow } from '../egress/follow.ts'
import { StatusListError } from './errors.ts'

/** Bytes of the response; compressed. */
export const MAX_BYTES = 2_000_000
const MAX_MS = 3_000
const MAX_REDIRECTS = 3

/** The JWT at an address. Every address, also of redirects, is checked by the guard. Throws a StatusListError. */
export const fetchStatusList = async (uri: string): Promise<string> => {
  const bounds = { milliseconds: MAX_MS, bytes: MAX_BYTES }
  const outcome = await follow(uri, { accept: 'application/statuslist+jwt', bounds, redirects: MAX_REDIRECTS })
  if (bounds.bytes < 0) throw new StatusListError(`the list has over ${MAX_BYTES} bytes`)
  if (outcome?.failure === 'address') throw new StatusListError('its address is not allowed')
  if (outcome?.status !== 200 || outcome.failure !== undefined)
    throw new StatusListError(`the list cannot be fetched: ${outcome?.failure ?? outcome?.status ?? 'timeout'}`)
  return outcome.body
}
