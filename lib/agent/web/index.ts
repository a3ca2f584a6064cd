/** Documents of other hosts, read within the budget of a unit of work. */
export { resolutionOf, toDidDocument } from './did-documents.ts'
export {
  boundDocumentsOfJsonLd,
  endWithReadErrors,
  readText,
  UnreadableDocumentError,
  unreadable,
  unreadDocument,
  withReadErrors,
} from './documents.ts'
export { isKeyOver, isProofOver } from './time-limits.ts'
export { GuardedWebDidResolver } from './web-did-resolver.ts'
