/** What every format of credentials and presentations shares with the protocols. */
export { type CheckedFormat, NOT_OFFERED, NotAsOfferedError } from './checked-format.ts'
export { preparedResponse, prepareResponse } from './prepared-response.ts'
export { noteUnverified, unverifiedBecause } from './unverified-presentations.ts'
