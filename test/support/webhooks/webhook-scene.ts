/** Steps for tests of webhooks: a registered endpoint, an event for it, and the state of both. */
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { eventLane } from '../../../lib/outbox/wake-ups/keys.ts'
import type { EndpointKind } from '../../../lib/records/webhook-event.ts'
import { tryDecode } from '../../../lib/store/item.ts'
import { getItem, queryAll } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { putIfAbsent } from '../../../lib/store/write.ts'
import { type Endpoint, readEndpoints } from '../../../lib/webhooks/endpoint-item.ts'
import {
  eventItem,
  eventPartitions,
  type ListedAttempt,
  listedAttempt,
  type NewEvent,
  pendingEvent,
  pendingEventItem,
  type StoredEvent,
} from '../../../lib/webhooks/event-item.ts'
import { eventIdOf } from '../../../lib/webhooks/events.ts'
import { registerEndpoint } from '../../../lib/webhooks/registrations.ts'

export interface RegisteredEndpoint {
  orgId: string
  kind: EndpointKind
  id: string
  secret: string
}

/** Registers an endpoint of an organization, by default of a new one. */
export const registerAt = async (
  url: string,
  { orgId = randomUUID(), kind = 'webhook' }: Partial<RegisteredEndpoint> = {},
): Promise<RegisteredEndpoint> => {
  const registered = await transaction('@base', (unit) => registerEndpoint(unit, { orgId, kind, url }))
  return { orgId, kind, id: registered.registration.id, secret: registered.secret ?? '' }
}

let count = 0

/** An event of a record, with a body like that of any other. */
export const eventFor = (endpoint: RegisteredEndpoint, changes: Partial<NewEvent> = {}): NewEvent => {
  count += 1
  const occurredAt = changes.occurredAt ?? new Date().toISOString()
  const recordId = changes.recordId ?? 'record-1'
  const content = { type: 'endpoint.test', timestamp: occurredAt, data: { recordId, sequence: count } }
  return {
    id: eventIdOf(occurredAt, String(count)),
    type: content.type,
    orgId: endpoint.orgId,
    endpointId: endpoint.id,
    recordId,
    sequence: count,
    occurredAt,
    body: JSON.stringify(content),
    ...changes,
  }
}

/** Stores an event that is to be delivered, as the dispatcher does. Returns its lane. */
export const storeEvent = async (newEvent: NewEvent): Promise<string> => {
  const item = pendingEventItem.encode(pendingEvent(newEvent, new Date().toISOString()))
  await putIfAbsent(item)
  return item.pk?.S ?? ''
}

/** The event in its lane, or else in the list of its endpoint. */
export const readStoredEvent = async (event: NewEvent): Promise<StoredEvent | undefined> => {
  const waiting = (await queryAll(eventLane(event.orgId, event.endpointId, event.recordId)))
    .map((item) => tryDecode(pendingEventItem, item))
    .find((one) => one?.id === event.id)
  if (waiting !== undefined) return { ...waiting, state: 'pending' }
  const item = await getItem(eventItem.addressOf(event))
  return item === undefined ? undefined : eventItem.decode(item)
}

/** The current endpoint; throws where it was deleted. */
export const readRegistered = async ({ orgId, id }: RegisteredEndpoint): Promise<Endpoint> => {
  const endpoint = (await readEndpoints(orgId)).find((one) => one.id === id)
  if (endpoint === undefined) throw new Error('the endpoint is gone')
  return endpoint
}

/** Delivery attempts, oldest first. */
export const attemptsAt = async ({ id }: RegisteredEndpoint): Promise<ListedAttempt[]> =>
  (await Promise.all(eventPartitions(id).map(queryAll)))
    .flat()
    .flatMap((item) => listedAttempt(item) ?? [])
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))

/** Verifies a request as a receiver would, and returns its event; throws where the signature is not valid. */
export const verified = (secret: string, { headers, body }: { headers: IncomingHttpHeaders; body: string }): unknown =>
  new Webhook(secret).verify(
    body,
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  )
