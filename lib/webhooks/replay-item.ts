/** The replay item: events of an endpoint that go out again, as pointers for the relay. It is committed with their return to `pending`. */
import * as v from 'valibot'
import { newOutboxId } from '../delivery/outbox-id.ts'
import { text } from '../store/attributes.ts'
import type { Address } from '../store/keys.ts'
import { epochSeconds, type Item, toKey } from '../store/table.ts'

/** The stream filter and the relay know replay items by this `kind`. */
export const REPLAY_KIND = 'replay'

/** The relay has read it long before; in seconds. */
const SECONDS_KEPT = 24 * 60 * 60

const ReplayedEvent = v.object({ pk: v.string(), sk: v.string(), recordId: v.string() })

/** Where an event item lies, and the record that it tells of: with the endpoint it is the event's group of the queue. */
export type ReplayedEvent = v.InferOutput<typeof ReplayedEvent>

export interface Replay {
  /** Time-ordered. With an event's address it tells this message of the queue from earlier ones of the same event. */
  id: string
  endpointId: string
  /** Oldest first. One item for all of a transaction, whose items reach the stream in no promised order. */
  events: ReplayedEvent[]
}

export const replayPartition = (endpointId: string): string => `@endpoint|${endpointId}|replays`

export const replayAddress = ({ endpointId, id }: Pick<Replay, 'endpointId' | 'id'>): Address => ({
  pk: replayPartition(endpointId),
  sk: id,
})

export const toReplayItem = (endpointId: string, events: ReplayedEvent[]): Item => ({
  ...toKey(replayAddress({ endpointId, id: newOutboxId() })),
  kind: { S: REPLAY_KIND },
  endpointId: { S: endpointId },
  events: { S: JSON.stringify(events) },
  expiresAt: { N: String(epochSeconds() + SECONDS_KEPT) },
})

const ReplayItem = v.object({
  sk: text,
  endpointId: text,
  events: v.pipe(text, v.parseJson(), v.array(ReplayedEvent)),
})

/** Throws where the item is no replay. */
export const fromReplayItem = (item: Item): Replay => {
  const { sk, endpointId, events } = v.parse(ReplayItem, item)
  return { id: sk, endpointId, events }
}
