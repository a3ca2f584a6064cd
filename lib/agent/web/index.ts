/** Fetches documents of other hosts within the budget of a unit of work. */
export { type DidResolution, resolutionOf } from './did-documents.ts'
export {
  boundDocumentsOfJsonLd,
  clearUnread,
  readText,
  recordUnreadable,
  UnreadableDocumentError,
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
export { isKeyRevokedOrExpired, isProofExpired } from './time-limits.ts'
export { GuardedWebDidResolver } from './web-did-resolver.ts'
