/** Pure checks of AnonCreds presentations, without the library. */
export { PresentationError } from './assignments.ts'
export { type Checked, checkBeforeReading } from './checks.ts'
export { type ToProve, toProveNotRevoked, validLists } from './non-revocation.ts'
export { assertObjects, type Objects, type Registry } from './objects.ts'
export {
  mapItems,
  namesOf,
  ReceivedRequest,
  type Request,
  type RequestedAttribute,
  type RequestedPredicate,
  requestForLibrary,
  UNUSED,
} from './request.ts'
export { assertRestrictions } from './restrictions.ts'
