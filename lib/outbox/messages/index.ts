/** Messages to wallets: how they wait, are sent and recorded. */
export {
  deliveryUpdates,
  destinationAt,
  failedAt,
  failedDelivery,
  type OutboxMessage,
  outboxItem,
  outcomeItem,
  SentBasicMessage,
} from './message-item.ts'
export { isDelivered, openMessageLane, type Transport } from './messages.ts'
export { newOutboxId, nextOutboxId, readLaneEnd, timeOfId } from './outbox-id.ts'
