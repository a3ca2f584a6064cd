/** Messages to wallets: how they are stored, and the order of their ids. */
export {
  deliveryUpdates,
  destinationAt,
  failedAt,
  failedDelivery,
  type OutboxItem,
  type OutboxMessage,
  type Outcome,
  outboxItem,
  outcomeItem,
  SentBasicMessage,
} from './message-item.ts'
export { newOutboxId, nextOutboxId, readLaneEnd, timeOfId } from './outbox-id.ts'
