/** Ids of outbox items: a second one, sent after the first one was committed, comes after it, whatever the clocks of the functions say. */
import { messageLane } from '../store/keys.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { newOutboxId } from './outbox-id.ts'

/**
 * An id after those of all items that wait for the connection. Two clocks may differ; so the last item is read, strongly consistent, and
 * the id is made later than it. Throws `store.unavailable`.
 */
export const nextOutboxId = async (unit: UnitOfWork, tenant: string, connectionId: string): Promise<string> => {
  const { items } = await unit.query(messageLane(tenant, connectionId), { limit: 1, descending: true })
  return newOutboxId(Math.max(Date.now(), millisecondsOf(items[0]?.sk?.S) + 1))
}

/** The time of a UUIDv7, in ms since the epoch; 0 of none. RFC 9562, section 5.7. */
const millisecondsOf = (id = ''): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16) || 0
