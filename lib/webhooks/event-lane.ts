/** The lanes of webhook events: how the pending events of one record for one endpoint are read, sent and recorded. */

import { isSuccess } from '../egress/post.ts'
import { reportToDestination } from '../outbox/destinations/index.ts'
import { type Attempt, type LaneContents, WEBHOOK_PLAN } from '../outbox/lanes/index.ts'
import type { Transport } from '../outbox/message-lane.ts'
import { endpointDestination, eventLane, eventLaneOf } from '../outbox/wake-ups/index.ts'
import { tryDecode } from '../store/item.ts'
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
  listedItem,
  mustSend,
  type PendingEvent,
  pendingEventItem,
  restingItem,
  type Attempt as StoredAttempt,
  type StoredEvent,
  storedResponse,
} from './event-item.ts'
import { recordHealth } from './health.ts'
import { sendEvent } from './send-event.ts'

/** Number of events in one read, of at most 20 KB each. */
const PAGE_SIZE = 25

interface WaitingEvent {
  event: PendingEvent
  /** Its item in the list of its endpoint; undefined also if that is corrupt. */
  stored: Pick<StoredEvent, 'state' | 'position' | 'delivery'> | undefined
}

/** The contents of an event lane; undefined for the name of any other lane. Throws `store.unavailable`. */
export const eventLaneContents = async (
  lane: string,
  transport: Transport = {},
): Promise<LaneContents<WaitingEvent> | undefined> => {
  const key = eventLaneOf(lane)
  if (key === undefined) return undefined
  const { orgId, endpointId, recordId } = key
  const destination = endpointDestination(endpointId)
  let endpoint = (await readEndpoints(orgId)).find(({ id }) => id === endpointId)
  /** The last attempt. If it has disabled the endpoint, it is recorded when its event is held. */
  let last: { waiting: WaitingEvent; attempt: Attempt } | undefined

  return {
    plan: WEBHOOK_PLAN,
    metrics: { delivered: 'EventsDelivered', givenUp: 'EventsGivenUp' },
    read: async (now) => {
      // The endpoint was deleted or replaced: releases all lanes that wait for it, without probes.
      if (endpoint === undefined) await reportToDestination(destination, { kind: 'reached', lane }, now)
      const { items, next } = await queryPage(eventLane(orgId, endpointId, recordId), { limit: PAGE_SIZE })
      const events = items.map((item) => tryDecode(pendingEventItem, item))
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
      if (!mustSend(event, stored)) return [removeFromLane(event)]
      if (endpoint === undefined)
        return [removeFromLane(event), ...(stored === undefined ? [] : [{ remove: eventItem.addressOf(event) }])]
      if (endpoint.status !== 'disabled') return undefined
      return last?.waiting === waiting
        ? [...moveToList(withAttempt(event), 'held', stored?.delivery), ...recordAttempt(event, last.attempt)]
        : moveToList(event, 'held', stored?.delivery)
    },
    send: async ({ event }, now) => {
      if (endpoint === undefined) throw new Error('an event cannot be sent without its endpoint')
      return sendEvent(event, endpoint, now, transport)
    },
    afterAttempt: async (waiting, attempt) => {
      last = { waiting, attempt }
      const { outcome, endedAt: now } = attempt
      if (endpoint === undefined) return
      endpoint = await recordHealth(endpoint, outcome, now)
      // It has just been disabled. The waiting lanes are released: their events become `held`.
      if (endpoint?.status === 'disabled') await reportToDestination(destination, { kind: 'reached', lane }, now)
    },
    delivered: ({ event, stored }, attempt) => {
      const made = toAttempt(event, attempt)
      return stored === undefined && isStoredWithEvent(made, event)
        ? moveToList(withAttempt(event), 'delivered', made)
        : [...moveToList(withAttempt(event), 'delivered', stored?.delivery), { put: attemptItem.encode(made) }]
    },
    failed: ({ event, stored }, attempt) => [
      {
        update: pendingEventItem.addressOf(event),
        change: { set: pendingEventItem.attributes({ attempts: event.attempts + 1 }) },
        condition: { present: ['pk'] },
      },
      ...(stored === undefined ? [{ put: listedItem(event) }] : []),
      ...recordAttempt(event, attempt),
    ],
    givenUp: ({ event, stored }, _, attempt) =>
      attempt === undefined
        ? moveToList(event, 'failed', stored?.delivery)
        : [...moveToList(withAttempt(event), 'failed', stored?.delivery), ...recordAttempt(event, attempt)],
    about: ({ event }) => ({ webhookId: event.id, type: event.type, ...key }),
  }
}

const withStored = async (events: PendingEvent[]): Promise<WaitingEvent[]> => {
  // An event that is in the lane twice is read once.
  const addresses = new Map(events.map((event) => [event.id, eventItem.addressOf(event)]))
  const found = new Map((await getItems([...addresses.values()])).map((item) => [item.sk?.S, item]))
  return events.map((event) => {
    const item = found.get(eventItem.addressOf(event).sk)
    return {
      event,
      stored:
        item && tryDecode({ decode: (image) => eventItem.decodePart(image, ['state', 'position', 'delivery']) }, item),
    }
  })
}

const removeFromLane = (event: PendingEvent): TableWrite => ({ remove: pendingEventItem.addressOf(event) })

const moveToList = (
  event: PendingEvent,
  ...rest: [state: Exclude<EventState, 'pending'>, StoredEvent['delivery']?]
) => [removeFromLane(event), { put: restingItem(event, ...rest) }]

const withAttempt = (event: PendingEvent): PendingEvent => ({ ...event, attempts: event.attempts + 1 })

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
    outcome: isSuccess(outcome) ? 'delivered' : 'failed',
    expiresAt: expiryOf(started),
  }
}

const recordAttempt = (event: PendingEvent, attempt: Attempt): TableWrite[] => [
  { put: attemptItem.encode(toAttempt(event, attempt)) },
]
