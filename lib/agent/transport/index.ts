/** How packed messages leave: the outbox, queues for pickup, the response to an inbound message. */
export {
  addedMessages,
  addToOutbox,
  type Lane,
  laneOf,
  OutboxTransport,
  Rotations,
  recordBasicMessage,
} from './outbox-transport.ts'
export { isQueued, PickupQueue, recordQueuedMessage, withoutQueue } from './pickup-queue.ts'
export { QUEUE, ReturnRouteSession, UnitOfWorkSessions } from './return-route.ts'
