/** The event that an organization asks for to see whether its endpoint works. */
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type EndpointPath, requireEnabledEndpoint } from './endpoints.ts'
import { pendingItems } from './event-item.ts'
import { testEvent } from './organization-events.ts'

/** Has an `endpoint.test` sent. Throws `resource.not_found`, `endpoint.not_active`. `now` in ms since the epoch. */
export const sendTestEvent = async (
  unit: UnitOfWork,
  path: EndpointPath,
  now: number = Date.now(),
): Promise<{ eventId: string }> => {
  const event = testEvent(await requireEnabledEndpoint(unit, path), new Date(now).toISOString())
  // Each in a lane of its own: a test that fails and is tried again for days must not hold back the next one.
  const items = pendingItems({ ...event, recordId: event.id }, new Date(now).toISOString())
  unit.create(items.event)
  unit.create(items.place)
  return { eventId: event.id }
}
