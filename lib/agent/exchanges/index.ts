/**
 * Exchanges of credentials and proofs: how API calls begin and continue them, and when they continue without a call.
 */
export { reportAbandonment } from './abandonment.ts'
export { attachedOf } from './attached-of.ts'
export { autoAccept } from './auto-accept.ts'
export { AgentMessageRepository } from './message-repository.ts'
export { notifyOtherAgent } from './notify-other-agent.ts'
export { nextAttemptDelay } from './retry-schedule.ts'
export { beginExchange, continueExchange, type Expected, type Formats } from './steps.ts'
