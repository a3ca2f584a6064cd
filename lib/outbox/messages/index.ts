/** Messages to wallets: their stored items, and their ids. */
export {
  deliveryUpdates,
  destinationAt,
  failedDelivery,
  type OutboxItem,
  type OutboxMessage,
  type Outcome,
  outboxItem,
  outcomeItem,
  outcomeTimes,
  SentBasicMessage,
} from './message-item.ts'
export { newOutboxId, nextOutboxId, readLaneEnd, timeOfId } from './outbox-id.ts'
