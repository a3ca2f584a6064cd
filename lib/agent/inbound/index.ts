/** Inbound messages: once each, on their own thread, with problem reports for what is rejected. */
export { handlesMessage, markMessage } from './inbox.ts'
export { registerPickup } from './pickup-protocols.ts'
export { logProblemReports, MessageHandlerRegistry } from './problem-reports.ts'
export { logRefusals, receiveEnvelope } from './receive.ts'
export { guardThread } from './thread-guard.ts'
