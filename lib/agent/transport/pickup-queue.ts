/** Credo's queue transport for agents without an endpoint, on the unit of work. */

import type { AgentContext } from '@credo-ts/core'
import type { DidCommMessage, DidCommQueueTransportRepository } from '@credo-ts/didcomm'
import type { SentBasicMessage } from '../../outbox/messages/index.ts'
import type { PickupMessage } from '../../pickup/pickup-item.ts'
import {
  addToQueue,
  countWaiting,
  findWaiting,
  firstWaiting,
  recordQueued,
  removeFromQueue,
} from '../../pickup/queue.ts'
import { currentUnit } from '../../store/transaction.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'

type Options<Method extends keyof DidCommQueueTransportRepository> = Parameters<
  DidCommQueueTransportRepository[Method]
>[1]

const QUEUED = Symbol('messages added to pickup queues')

/** The last message that the running unit of work has added, by connection. */
const addedOf = () => currentUnit().moduleState(QUEUED, () => new Map<string, PickupMessage>())

/** Whether the running unit of work has queued a message for a connection. */
export const isQueued = (connectionId: string): boolean => addedOf().has(connectionId)

/** Records the basic message of the message that was queued last: it shows the delivery state. */
export const recordQueuedMessage = (connectionId: string, message: SentBasicMessage): void => {
  const added = addedOf().get(connectionId)
  if (added !== undefined) recordQueued(added, message)
}

/**
 * Excludes a message from the queue, such as the response that completes a connection: without a ready connection the
 * wallet cannot fetch it. Sending it fails if there is no endpoint.
 */
export const withoutQueue = <T extends DidCommMessage>(message: T): T =>
  Object.assign(message, { allowQueueTransport: false })

const DELIVERED = { state: 'delivered' } as const

/** Credo finds the connection by the keys of the requesting envelope. */
export class PickupQueue implements DidCommQueueTransportRepository {
  readonly #answers: (unit: UnitOfWork) => boolean

  /** `answers`: whether the messages of a unit of work reply to an inbound message. */
  constructor(answers: (unit: UnitOfWork) => boolean = () => false) {
    this.#answers = answers
  }

  /** Throws `connection.queue_full`. */
  async addMessage(_: AgentContext, { connectionId, recipientDids, payload }: Options<'addMessage'>): Promise<string> {
    const unit = currentUnit()
    const added = await addToQueue(unit, connectionId, {
      payload: JSON.stringify(payload),
      recipients: recipientDids,
      isReply: this.#answers(unit),
    })
    addedOf().set(connectionId, added)
    return added.id
  }

  /** With a key, counts only the first megabyte, which is usually more than a thousand messages. */
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
    const messages = await firstWaiting(unit, connectionId, { limit, recipient: recipientDid, batch: true })
    if (deleteMessages === true) await removeFromQueue(unit, connectionId, messages, DELIVERED)
    return messages.map(({ id, createdAt, payload }) => ({
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
