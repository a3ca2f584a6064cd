/** Checks of AnonCreds presentations that need no library; pure. */
export { Refused } from './answers.ts'
export { type Checked, checkBeforeReading } from './checks.ts'
export { listsInForce, type ToProve, toProveNotRevoked } from './non-revocation.ts'
export { assertObjects, type Objects, type Registry } from './objects.ts'
export { namesOf, Request, type RequestedPredicate, requestForLibrary } from './request.ts'
export { assertRestrictions } from './restrictions.ts'
