/** Documents of other hosts, read within the budget of a unit of work. */
export { type DidResolution, resolutionOf } from './did-documents.ts'
export {
  boundDocumentsOfJsonLd,
  forgetUnread,
  readText,
  UnreadableDocumentError,
  unreadable,
  unreadDocument,
  unreadHost,
  withReadErrors,
} from './documents.ts'
export {
  assertReadableServices,
  didCommTypeOf,
  invalidDocumentReason,
  RELATIONSHIPS,
  type ReadDidDocument,
  readDidDocument,
  unreadableMember,
} from './read-did-document.ts'
export { isKeyOver, isProofOver } from './time-limits.ts'
export { GuardedWebDidResolver } from './web-did-resolver.ts'
