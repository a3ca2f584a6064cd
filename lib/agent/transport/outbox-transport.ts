/** Credo's outbound transport. It sends nothing: it adds messages to the outbox of the running unit of work. */

import { type AgentContext, CredoError } from '@credo-ts/core'
import type { DidCommOutboundPackage, DidCommOutboundTransport } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { isObject } from '../../json.ts'
import { laneItem } from '../../outbox/lanes/index.ts'
import {
  destinationAt,
  nextOutboxId,
  type OutboxMessage,
  outboxItem,
  readLaneEnd,
  type SentBasicMessage,
} from '../../outbox/messages/index.ts'
import { CONNECTION, messageLane, wakeLater, wakeNow } from '../../outbox/wake-ups/index.ts'
import { ROTATIONS } from '../../records/record-json.ts'
import { dueFor } from '../../store/due.ts'
import { digest } from '../../store/keys.ts'
import type { Item } from '../../store/table.ts'
import { currentUnit } from '../../store/transaction.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'

/** A lane of messages to a connection: see `messageLane`. */
export interface Lane {
  connectionId: string
  did?: string | undefined
}

/** The messages of one unit of work in one lane. */
interface Outbox extends Lane {
  id: string
  messages: OutboxMessage[]
  basicMessages: SentBasicMessage[]
}

const OUTBOXES = Symbol('outboxes')

/** By lane. */
const outboxesOf = (unit: UnitOfWork): Map<string, Outbox> =>
  unit.moduleState(OUTBOXES, () => new Map<string, Outbox>())

/**
 * The messages of an invocation in a lane are one item: the items of a transaction have no guaranteed order in the
 * stream.
 */
const outboxIn = async ({ connectionId, did }: Lane, delay: number): Promise<Outbox> => {
  const unit = currentUnit()
  const lane = messageLane(unit.tenant, connectionId, did)
  const id = outboxesOf(unit).has(lane) ? '' : await nextOutboxId(unit, connectionId, did)
  const isFirst = (await readLaneEnd(unit, connectionId, did)) === undefined
  const isDelayed = delay > 0 && isFirst && (await unit.load(laneItem, { lane })) === undefined
  const known = outboxesOf(unit).get(lane)
  if (known !== undefined) return known
  const outbox: Outbox = { connectionId, did, id, messages: [], basicMessages: [] }
  outboxesOf(unit).set(lane, outbox)
  unit.beforeCommit(() => unit.create(toItem(unit.tenant, outbox)))
  if (isDelayed) {
    const at = Date.now() + delay
    unit.create(laneItem.encode({ lane, ...dueFor(lane, at) }))
    unit.afterCommit(() => wakeLater({ lane, reason: { kind: 'due', at } }, delay))
  } else
    unit.afterCommit(() => {
      const firstTo = isFirst ? destinationAt(outbox.messages[0]?.endpoint) : undefined
      return wakeNow({ lane, itemId: id, firstTo })
    })
  return outbox
}

/**
 * Adds a message to the outbox of the running unit of work. `delay`: ms until the lane is delivered if nothing else
 * waits in it; 0: no delay.
 */
export const addToOutbox = async (lane: Lane, message: OutboxMessage, delay = 0): Promise<void> => {
  const outbox = await outboxIn(lane, delay)
  outbox.messages.push(message)
}

/** The messages that the running unit of work has added to the outbox. */
export const addedMessages = (): OutboxMessage[] =>
  [...outboxesOf(currentUnit()).values()].flatMap(({ messages }) => messages)

/** Records the basic message that the running unit of work has added to the outbox: it shows the delivery state. */
export const recordBasicMessage = (connectionId: string, message: SentBasicMessage): void => {
  const outboxes = [...outboxesOf(currentUnit()).values()]
  outboxes.find((outbox) => outbox.connectionId === connectionId)?.basicMessages.push(message)
}

/** Metadata of a connection whose other agent has rotated its DID. */
export const Rotations = v.object({
  /** Digest of its DID before the first rotation, whose messages wait in the lane of the connection itself. */
  firstDid: v.string(),
  /** Times of rotations within the last hour, in ms since the epoch. */
  at: v.array(v.number()),
})
export type Rotations = v.InferOutput<typeof Rotations>

/**
 * The lane of a DID of the other agent. Each DID has its own lane, so that messages to a former DID do not block those
 * to the current one.
 */
export const laneOf = (connectionId: string, did: string, rotations: unknown): Lane => {
  const firstDid = v.is(Rotations, rotations) ? rotations.firstDid : digest(did)
  return { connectionId, ...(firstDid !== digest(did) && { did: digest(did) }) }
}

/** The lane of the DID that the other agent of a connection has now. */
const currentLane = async (connectionId: string): Promise<Lane> => {
  const unit = currentUnit()
  const { theirDid, metadata } = (await unit.read(unit.tenant, CONNECTION, connectionId))?.value ?? {}
  return laneOf(connectionId, String(theirDid), isObject(metadata) ? metadata[ROTATIONS] : undefined)
}

export class OutboxTransport implements DidCommOutboundTransport {
  readonly supportedSchemes = ['http', 'https']

  async start(_agentContext: AgentContext): Promise<void> {}

  async stop(): Promise<void> {}

  async sendMessage({ payload, endpoint, connectionId }: DidCommOutboundPackage): Promise<void> {
    if (endpoint === undefined) throw new CredoError('the message has no endpoint')
    const text = JSON.stringify(payload)
    // Without a connection each message has its own lane: other recipients at the endpoint, such as wallets of a
    // mediator, must not wait for a message that it rejects. The next message of the exchange follows the reply anyway.
    const lane = connectionId === undefined ? { connectionId: digest(text) } : await currentLane(connectionId)
    await addToOutbox(lane, { endpoint, payload: text })
  }
}

const toItem = (tenant: string, { basicMessages, ...outbox }: Outbox): Item =>
  outboxItem.encode({
    tenant,
    ...outbox,
    ...(basicMessages.length > 0 && { basicMessages }),
    taken: 0,
    attempts: 0,
    createdAt: new Date().toISOString(),
  })
