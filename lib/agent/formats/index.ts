/** What every format of credentials and presentations shares with the protocols. */
export { type CheckedFormat, NOT_OFFERED, NotAsOfferedError, NotYetIssuedError } from './checked-format.ts'
export { type PreparedResponse, preparedResponse, prepareResponse, unanswerable } from './prepared-response.ts'
export { noteUnverified, unverifiedBecause } from './unverified-presentations.ts'
