/** The traffic of a simulation: messages to connections, and events of records to webhook endpoints, as the service commits them. */

import { destinationAt, outboxItem } from '../../lib/outbox/messages/message-item.ts'
import { newOutboxId } from '../../lib/outbox/messages/outbox-id.ts'
import { eventLane, messageLane } from '../../lib/outbox/wake-ups/keys.ts'
import { toRecordItem } from '../../lib/store/stored-record.ts'
import type { Item } from '../../lib/store/table.ts'
import { endpointItem } from '../../lib/webhooks/endpoint-item.ts'
import { pendingEvent, pendingEventItem } from '../../lib/webhooks/event-item.ts'
import { eventIdOf } from '../../lib/webhooks/events.ts'

/** A lane, and where what waits in it goes. */
export interface Traffic {
  lane: string
  origin: string
  /** Of messages, as their sender names it in a wake-up. */
  destination?: string
  /** The items of its n-th message or event; the last of them is the one in the lane. `now`: ms since the epoch. */
  items(payload: string, now: number, number: number): Item[]
}

const iso = (ms: number): string => new Date(ms).toISOString()

interface MessageOptions {
  /** The path of its address; default `/`. */
  path?: string
  /** How old a message is when it is committed, in ms. */
  age?: number
  /** They are basic messages, with records of these ids: what becomes of them are events. */
  newId?: (() => string) | undefined
}

/** The messages of a connection. */
export const connectionTo = (
  origin: string,
  tenant: string,
  connectionId: string,
  { path = '/', age = 0, newId }: MessageOptions = {},
): Traffic => {
  return {
    lane: messageLane(tenant, connectionId),
    origin,
    destination: destinationAt(`${origin}${path}`),
    items: (payload, now) => {
      const createdAt = iso(now - age)
      const basicMessages = newId === undefined ? [] : [{ id: newId(), createdAt }]
      return [
        ...basicMessages.map((message) =>
          toRecordItem({
            ...{ tenant, type: 'BasicMessageRecord', id: message.id, version: 1, tags: { connectionId } },
            value: { ...message, connectionId, role: 'sender', metadata: {} },
          }),
        ),
        outboxItem.encode({
          ...{ tenant, connectionId, id: newOutboxId(now), basicMessages, createdAt, taken: 0, attempts: 0 },
          messages: [{ endpoint: `${origin}${path}`, payload }],
        }),
      ]
    },
  }
}

export interface SimulatedEndpoint {
  orgId: string
  id: string
  origin: string
  /** What registers it. */
  item: Item
}

export const endpointAt = (origin: string, newId: () => string, now: number, orgId = newId()): SimulatedEndpoint => {
  const id = newId()
  const item = endpointItem.encode({
    ...{ orgId, id, kind: 'webhook', url: `${origin}/`, status: 'active', version: 1, secret: new Uint8Array(32) },
    ...{ createdAt: iso(now), updatedAt: iso(now) },
  })
  return { orgId, id, origin, item }
}

/** The events of one record. */
export const recordAt = ({ orgId, id: endpointId, origin }: SimulatedEndpoint, recordId: string, age = 0): Traffic => {
  return {
    lane: eventLane(orgId, endpointId, recordId),
    origin,
    items: (body, now, sequence) => {
      const occurredAt = iso(now)
      const id = eventIdOf(occurredAt, recordId, endpointId, String(sequence))
      const of = { orgId, endpointId, recordId } as const
      const event = { id, type: 'proof.state_changed', ...of, sequence, occurredAt, body }
      return [pendingEventItem.encode(pendingEvent(event, iso(now - age)))]
    },
  }
}
