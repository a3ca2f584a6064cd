/** Inbound messages: once each, on their own thread, with problem reports for what is rejected. */
export { handleOnce, handlesMessage, markMessage } from './inbox.ts'
export { AgentMessageHandlerRegistry } from './message-handler-registry.ts'
export { ignorePendingAcks } from './pending-acks.ts'
export { registerPickup } from './pickup.ts'
export { pickupProtocols } from './pickup-protocols.ts'
export { logProblemReports } from './problem-reports.ts'
export { logRejections, receiveEnvelope } from './receive.ts'
export { guardThread, noteUnsolicited } from './thread-guard.ts'
