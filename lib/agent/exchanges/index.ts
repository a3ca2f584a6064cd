/** Exchanges that API calls begin and continue, and when they continue without one. */
export { autoAccept } from './auto-accept.ts'
export { nextAttempt } from './later-attempts.ts'
export { AgentMessageRepository } from './message-repository.ts'
export { beginExchange, continueExchange, type Formats } from './steps.ts'
