/** Interfaces and errors that all formats of credentials and presentations share with the protocols. */
export { type CheckedFormat, NOT_OFFERED, NotAsOfferedError, NotYetIssuedError } from './checked-format.ts'
export { type PreparedResponse, preparedResponse, prepareResponse, unanswerableError } from './prepared-response.ts'
export { recordUnverified, verificationFailureOf } from './unverified-presentations.ts'
