/**
 * The lanes of webhook events: the pending events of one record for one endpoint, in order, and what an attempt writes
 * to the table.
 */
import { isTaken } from '../egress/post.ts'
import { tellDestination } from '../outbox/destination-access.ts'
import type { Attempt, LaneContents } from '../outbox/lane-contents.ts'
import type { Transport } from '../outbox/messages.ts'
import { WEBHOOK_PLAN } from '../outbox/retry-plan.ts'
import { decodeIfSound } from '../store/item.ts'
import { type Address, endpointDestination, eventLane, eventLaneOf } from '../store/keys.ts'
import { setAside } from '../store/set-aside.ts'
import { addressOf, getItems, type Item, queryPage } from '../store/table.ts'
import { putIfAbsent, type TableWrite } from '../store/write.ts'
import { readEndpoints } from './endpoint-item.ts'
import {
  attemptItem,
  carriedEvent,
  type EventChange,
  eventItem,
  eventUpdate,
  expiryOf,
  type Place,
  placeItem,
  type StoredEvent,
  storedResponse,
} from './event-item.ts'
import { recordHealth } from './health.ts'
import { sendEvent } from './send-event.ts'

/** Events read at once, of at most 20 KB each. */
const READ = 25

/** A place in the lane, and its event if that still exists. */
interface Waiting {
  place: Place
  event: StoredEvent | undefined
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

  const leaves = ({ place }: Pick<Waiting, 'place'>): TableWrite => ({
    remove: placeItem.addressOf({ ...key, ...place }),
  })
  const ends = (waiting: Waiting, change: EventChange): TableWrite[] =>
    waiting.event === undefined ? [leaves(waiting)] : [eventUpdate(waiting.event, change), leaves(waiting)]

  return {
    plan: WEBHOOK_PLAN,
    metrics: { delivered: 'EventsDelivered', givenUp: 'EventsGivenUp' },
    read: async (now) => {
      // It was deleted or replaced: the other lanes that wait for it need no probe of their own to find that out.
      if (endpoint === undefined) await tellDestination(destination, { kind: 'reached', lane }, now)
      const { items, next } = await queryPage(eventLane(orgId, endpointId, recordId), { limit: READ })
      const places = await Promise.all(items.map(placeAt))
      const { sound, corrupt } = await eventsAt(
        endpointId,
        places.filter((place) => place !== undefined),
      )
      return {
        items: sound,
        more: next !== undefined,
        corrupt: [
          ...items
            .filter((_, index) => places[index] === undefined)
            .map((item) => ({ writes: setAside(item, now), about: { ...key, position: item.sk?.S } })),
          ...corrupt.map(({ place, item }) => ({
            writes: [...setAside(item, now), leaves({ place })],
            about: { ...key, webhookId: place.eventId },
          })),
        ],
      }
    },
    idOf: ({ place }) => place.position,
    giveUpAt: ({ event }) => Date.parse(event?.pendingSince ?? '') + WEBHOOK_PLAN.lifetime,
    destinationOf: () => destination,
    endWithoutSending: (waiting) => {
      const { event } = waiting
      if (event === undefined || event.state !== 'pending') return [leaves(waiting)]
      if (endpoint === undefined) return [{ remove: eventItem.addressOf(event) }, leaves(waiting)]
      if (endpoint.status !== 'disabled') return undefined
      if (last?.waiting !== waiting) return ends(waiting, { state: 'held', attempts: event.attempts })
      const held = ends(waiting, { state: 'held', attempts: attemptsAfter(waiting) })
      return [...held, ...record(waiting, last.attempt)]
    },
    send: async ({ event }, now) => {
      if (event === undefined || endpoint === undefined) throw new Error('an event that is settled is not sent')
      return sendEvent(event, endpoint, now, transport)
    },
    afterAttempt: async (waiting, attempt) => {
      last = { waiting, attempt }
      const { outcome, endedAt: now } = attempt
      if (endpoint === undefined) return
      const before = endpoint.status
      endpoint = await recordHealth(endpoint, outcome, now)
      // The waiting lanes are released, so that their events become `held`.
      if (before !== 'disabled' && endpoint?.status === 'disabled')
        await tellDestination(destination, { kind: 'reached', lane }, now)
    },
    delivered: (waiting, attempt) => [
      ...ends(waiting, { state: 'delivered', attempts: attemptsAfter(waiting) }),
      ...record(waiting, attempt),
    ],
    failed: (waiting, attempt) => [...pendingAgain(waiting, attempt), ...record(waiting, attempt)],
    givenUp: (waiting, _, attempt) => [
      ...ends(waiting, {
        state: 'failed',
        attempts: attempt === undefined ? attemptsAfter(waiting) - 1 : attemptsAfter(waiting),
      }),
      ...(attempt === undefined ? [] : record(waiting, attempt)),
    ],
    about: ({ event }) => ({ webhookId: event?.id, type: event?.type, ...key }),
  }
}

/** A place, whose event is in the table from now on if it carries one; undefined if it is corrupt. */
const placeAt = async (item: Item): Promise<Place | undefined> => {
  const carried = decodeIfSound({ decode: carriedEvent }, item)
  if (carried !== undefined) await putIfAbsent(carried)
  return carried === undefined && item.body !== undefined ? undefined : decodeIfSound(placeItem, item)
}

interface EventsAt {
  sound: Waiting[]
  corrupt: { place: Place; item: Item }[]
}

const eventsAt = async (endpointId: string, places: Place[]): Promise<EventsAt> => {
  const addresses = places.map(({ eventId, occurredAt }) =>
    eventItem.addressOf({ endpointId, occurredAt, id: eventId }),
  )
  const at = ({ pk, sk }: Address): string => `${pk} ${sk}`
  const found = new Map((await getItems(addresses)).map((item) => [at(addressOf(item)), item]))
  const events: EventsAt = { sound: [], corrupt: [] }
  for (const [index, place] of places.entries()) {
    const item = found.get(at(addresses[index] ?? { pk: '', sk: '' }))
    const event = item && decodeIfSound(eventItem, item)
    if (item !== undefined && event === undefined) events.corrupt.push({ place, item })
    else events.sound.push({ place, event })
  }
  return events
}

const attemptsAfter = ({ event }: Waiting): number => (event?.attempts ?? 0) + 1

const pendingAgain = (waiting: Waiting, { nextAttemptAt }: Attempt): TableWrite[] => {
  const { event } = waiting
  if (event === undefined) return []
  const next = nextAttemptAt === undefined ? undefined : new Date(nextAttemptAt).toISOString()
  return [eventUpdate(event, { state: 'pending', attempts: attemptsAfter(waiting), nextAttemptAt: next })]
}

const record = (waiting: Waiting, { outcome, startedAt }: Attempt): TableWrite[] => {
  const { event } = waiting
  if (event === undefined) return []
  const { status, failure, milliseconds, body } = outcome
  const started = new Date(startedAt).toISOString()
  const attempt = {
    endpointId: event.endpointId,
    eventId: event.id,
    type: event.type,
    attempt: attemptsAfter(waiting),
    startedAt: started,
    ...{ status, failure, milliseconds },
    response: storedResponse(body),
    outcome: isTaken(outcome) ? ('delivered' as const) : ('failed' as const),
    expiresAt: expiryOf(started),
  }
  return [{ put: attemptItem.encode(attempt) }]
}
