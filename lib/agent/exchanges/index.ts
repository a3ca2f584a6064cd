/** Exchanges that API calls begin and continue, and when they continue without one. */
export { attachedOf } from './attached-of.ts'
export { autoAccept } from './auto-accept.ts'
export { nextAttempt } from './later-attempts.ts'
export { AgentMessageRepository } from './message-repository.ts'
export { beginExchange, continueExchange, type Expected, type Formats } from './steps.ts'
export { tellOther } from './tell-other.ts'
