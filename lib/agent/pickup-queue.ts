/** Credo's queue of messages for agents without an endpoint, on the unit of work. */
import type { AgentContext } from '@credo-ts/core'
import type { DidCommMessage, DidCommQueueTransportRepository } from '@credo-ts/didcomm'
import type { SentBasicMessage } from '../outbox/message-item.ts'
import type { PickupMessage } from '../pickup/pickup-item.ts'
import { addToQueue, countWaiting, findWaiting, firstWaiting, noteQueued, removeFromQueue } from '../pickup/queue.ts'
import { currentUnit } from '../store/transaction.ts'
import { handlesMessage } from './inbound-marks.ts'

type Options<Method extends keyof DidCommQueueTransportRepository> = Parameters<
  DidCommQueueTransportRepository[Method]
>[1]

const ADDED = Symbol('messages added to pickup queues')

/** The message that the running unit of work has added last for a connection. */
const addedOf = () => currentUnit().slot(ADDED, () => new Map<string, PickupMessage>())

/** Whether what the running unit of work sends to a connection waits to be fetched. */
export const isQueued = (connectionId: string): boolean => addedOf().has(connectionId)

/** Notes which basic message was added last: what becomes of it are its events. */
export const noteQueuedMessage = (connectionId: string, message: SentBasicMessage): void => {
  const added = addedOf().get(connectionId)
  if (added !== undefined) noteQueued(added, message)
}

/**
 * The message, which never waits to be fetched: without a connection that is ready nobody can fetch it, such as the response that makes the
 * connection. Where there is no other way, sending it fails.
 */
export const unqueued = <T extends DidCommMessage>(message: T): T =>
  Object.assign(message, { allowQueueTransport: false })

const DELIVERED = { state: 'delivered' } as const

/** Each method is about one connection, which Credo knows by the keys of the envelope that asks. */
export class PickupQueue implements DidCommQueueTransportRepository {
  /** Throws `connection.queue_full`. */
  async addMessage(_: AgentContext, { connectionId, recipientDids, payload }: Options<'addMessage'>): Promise<string> {
    const unit = currentUnit()
    const added = await addToQueue(unit, connectionId, {
      payload: JSON.stringify(payload),
      recipients: recipientDids,
      answers: handlesMessage(unit),
    })
    addedOf().set(connectionId, added)
    return added.id
  }

  /** For a key the first megabyte is counted, which more than a thousand messages rarely fill. */
  async getAvailableMessageCount(
    _: AgentContext,
    { connectionId, recipientDid }: Options<'getAvailableMessageCount'>,
  ): Promise<number> {
    if (recipientDid === undefined) return countWaiting(currentUnit(), connectionId)
    return (await firstWaiting(currentUnit(), connectionId, { recipient: recipientDid })).length
  }

  async takeFromQueue(
    _: AgentContext,
    { connectionId, recipientDid, limit, deleteMessages }: Options<'takeFromQueue'>,
  ) {
    const unit = currentUnit()
    const taken = await firstWaiting(unit, connectionId, { limit, recipient: recipientDid, batch: true })
    if (deleteMessages === true) await removeFromQueue(unit, connectionId, taken, DELIVERED)
    return taken.map(({ id, createdAt, payload }) => ({
      id,
      receivedAt: new Date(createdAt),
      encryptedMessage: JSON.parse(payload),
    }))
  }

  async removeMessages(_: AgentContext, { connectionId, messageIds }: Options<'removeMessages'>): Promise<void> {
    const unit = currentUnit()
    await removeFromQueue(unit, connectionId, await findWaiting(unit, connectionId, messageIds), DELIVERED)
  }
}
