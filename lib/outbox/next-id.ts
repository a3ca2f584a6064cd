/** Ids of outbox items: a second one, sent after the first one was committed, comes after it, whatever the clocks of the functions say. */
import { CONNECTION } from '../store/keys.ts'
import type { Item } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { newOutboxId, timeOfId } from './outbox-id.ts'

const ENDS = Symbol('ends of lanes')

/**
 * Reads the last item that waits for a connection, strongly consistent; and with it the connection's record, which the unit remembers. Whoever
 * is going to send to a connection calls this before it reads the record, and saves a request. Throws `store.unavailable`.
 */
export const readLaneEnd = (unit: UnitOfWork, connectionId: string): Promise<Item | undefined> => {
  const ends = unit.slot(ENDS, () => new Map<string, Promise<Item | undefined>>())
  const end = ends.get(connectionId) ?? unit.readWithLast(unit.tenant, CONNECTION, connectionId)
  ends.set(connectionId, end)
  return end
}

/**
 * An id after those of all items that wait for the connection. Two clocks may differ; so the id is made later than that of the last one.
 * Throws `store.unavailable`.
 */
export const nextOutboxId = async (unit: UnitOfWork, connectionId: string): Promise<string> => {
  const last = await readLaneEnd(unit, connectionId)
  return newOutboxId(Math.max(Date.now(), timeOfId(last?.sk?.S) + 1))
}
