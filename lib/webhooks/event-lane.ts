/**
 * The lanes of webhook events: the pending events of one record for one endpoint, in order, and what an attempt writes
 * to the table.
 */

import { isTaken } from '../egress/post.ts'
import { reportToDestination } from '../outbox/destinations/index.ts'
import { type Attempt, type LaneContents, WEBHOOK_PLAN } from '../outbox/lanes/index.ts'
import type { Transport } from '../outbox/message-lane.ts'
import { endpointDestination, eventLane, eventLaneOf } from '../outbox/wake-ups/index.ts'
import { decodeIfSound } from '../store/item.ts'
import { setAside, setAsideKey } from '../store/set-aside.ts'
import { getItems, queryPage } from '../store/table.ts'
import type { TableWrite } from '../store/write.ts'
import { readEndpoints } from './endpoint-item.ts'
import {
  attemptItem,
  type EventState,
  eventItem,
  expiryOf,
  isStoredWithEvent,
  isToSend,
  listedItem,
  type PendingEvent,
  pendingEventItem,
  restingItem,
  type Attempt as StoredAttempt,
  type StoredEvent,
  storedResponse,
} from './event-item.ts'
import { recordHealth } from './health.ts'
import { sendEvent } from './send-event.ts'

/** Events read at once, of at most 20 KB each. */
const READ = 25

interface Waiting {
  event: PendingEvent
  /** What the list of its endpoint has of it; undefined also if that is corrupt. */
  stored: Pick<StoredEvent, 'state' | 'position' | 'delivery'> | undefined
}

/** The contents of an event lane; undefined for the name of any other lane. Throws `store.unavailable`. */
export const openEventLane = async (
  lane: string,
  transport: Transport = {},
): Promise<LaneContents<Waiting> | undefined> => {
  const key = eventLaneOf(lane)
  if (key === undefined) return undefined
  const { orgId, endpointId, recordId } = key
  const destination = endpointDestination(endpointId)
  let endpoint = (await readEndpoints(orgId)).find(({ id }) => id === endpointId)
  /** The last attempt. If it has disabled the endpoint, it is recorded when its event is held. */
  let last: { waiting: Waiting; attempt: Attempt } | undefined

  return {
    plan: WEBHOOK_PLAN,
    metrics: { delivered: 'EventsDelivered', givenUp: 'EventsGivenUp' },
    read: async (now) => {
      // It was deleted or replaced: the other lanes that wait for it need no probe of their own to find that out.
      if (endpoint === undefined) await reportToDestination(destination, { kind: 'reached', lane }, now)
      const { items, next } = await queryPage(eventLane(orgId, endpointId, recordId), { limit: READ })
      const events = items.map((item) => decodeIfSound(pendingEventItem, item))
      return {
        items: await withStored(events.filter((event) => event !== undefined)),
        more: next !== undefined,
        corrupt: items
          .filter((_, index) => events[index] === undefined)
          .map((item) => ({
            writes: setAside(item, now),
            about: { ...key, position: item.sk?.S, movedTo: setAsideKey(item) },
          })),
      }
    },
    idOf: ({ event }) => event.position,
    giveUpAt: ({ event }) => Date.parse(event.pendingSince) + WEBHOOK_PLAN.lifetime,
    destinationOf: () => destination,
    endWithoutSending: (waiting) => {
      const { event, stored } = waiting
      if (!isToSend(event, stored)) return [leaves(event)]
      if (endpoint === undefined)
        return [leaves(event), ...(stored === undefined ? [] : [{ remove: eventItem.addressOf(event) }])]
      if (endpoint.status !== 'disabled') return undefined
      return last?.waiting === waiting
        ? [...rests(attempted(event), 'held', stored?.delivery), ...record(event, last.attempt)]
        : rests(event, 'held', stored?.delivery)
    },
    send: async ({ event }, now) => {
      if (endpoint === undefined) throw new Error('an event is not sent without its endpoint')
      return sendEvent(event, endpoint, now, transport)
    },
    afterAttempt: async (waiting, attempt) => {
      last = { waiting, attempt }
      const { outcome, endedAt: now } = attempt
      if (endpoint === undefined) return
      endpoint = await recordHealth(endpoint, outcome, now)
      // No attempt is made for one that was disabled before. The waiting lanes are released: their events become `held`.
      if (endpoint?.status === 'disabled') await reportToDestination(destination, { kind: 'reached', lane }, now)
    },
    delivered: ({ event, stored }, attempt) => {
      const made = toAttempt(event, attempt)
      return stored === undefined && isStoredWithEvent(made, event)
        ? rests(attempted(event), 'delivered', made)
        : [...rests(attempted(event), 'delivered', stored?.delivery), { put: attemptItem.encode(made) }]
    },
    failed: ({ event, stored }, attempt) => [
      {
        update: pendingEventItem.addressOf(event),
        change: { set: pendingEventItem.attributes({ attempts: event.attempts + 1 }) },
        condition: { present: ['pk'] },
      },
      ...(stored === undefined ? [{ put: listedItem(event) }] : []),
      ...record(event, attempt),
    ],
    givenUp: ({ event, stored }, _, attempt) =>
      attempt === undefined
        ? rests(event, 'failed', stored?.delivery)
        : [...rests(attempted(event), 'failed', stored?.delivery), ...record(event, attempt)],
    about: ({ event }) => ({ webhookId: event.id, type: event.type, ...key }),
  }
}

const withStored = async (events: PendingEvent[]): Promise<Waiting[]> => {
  // An event that was put there twice is asked for once.
  const addresses = new Map(events.map((event) => [event.id, eventItem.addressOf(event)]))
  const found = new Map((await getItems([...addresses.values()])).map((item) => [item.sk?.S, item]))
  return events.map((event) => {
    const item = found.get(eventItem.addressOf(event).sk)
    return {
      event,
      stored:
        item &&
        decodeIfSound({ decode: (image) => eventItem.decodePart(image, ['state', 'position', 'delivery']) }, item),
    }
  })
}

const leaves = (event: PendingEvent): TableWrite => ({ remove: pendingEventItem.addressOf(event) })

const rests = (event: PendingEvent, ...rest: [state: Exclude<EventState, 'pending'>, StoredEvent['delivery']?]) => [
  leaves(event),
  { put: restingItem(event, ...rest) },
]

const attempted = (event: PendingEvent): PendingEvent => ({ ...event, attempts: event.attempts + 1 })

const toAttempt = (event: PendingEvent, { outcome, startedAt }: Attempt): StoredAttempt => {
  const { status, failure, milliseconds, body } = outcome
  const started = new Date(startedAt).toISOString()
  return {
    endpointId: event.endpointId,
    eventId: event.id,
    type: event.type,
    attempt: event.attempts + 1,
    startedAt: started,
    ...{ status, failure, milliseconds },
    response: storedResponse(body),
    outcome: isTaken(outcome) ? 'delivered' : 'failed',
    expiresAt: expiryOf(started),
  }
}

const record = (event: PendingEvent, attempt: Attempt): TableWrite[] => [
  { put: attemptItem.encode(toAttempt(event, attempt)) },
]
