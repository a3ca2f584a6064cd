/** The destination of an endpoint's events: the endpoint itself, never its URL, for organizations share nothing. */
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { openDestination } from '../outbox/destination.ts'

export const destinationOf = (endpointId: string): string => `endpoint|${endpointId}`

/** Has the lanes looked at that wait for an endpoint which was enabled or deleted. Where this fails, its next probe does the same. */
export const releaseEndpoint = async (endpointId: string): Promise<void> => {
  try {
    await openDestination(destinationOf(endpointId), { lane: '', took: 0, now: Date.now() })
  } catch (error) {
    log('warn', 'an endpoint was not released', { event: 'webhook.not_released', endpointId, error: errorName(error) })
  }
}
