/** Documents of other hosts, read within the budget of a unit of work. */
export {
  boundDocumentsOfJsonLd,
  readText,
  UnreadableDocumentError,
  unreadDocument,
} from './documents.ts'
export { GuardedWebDidResolver, resolutionOf, toDidDocument } from './web-did-resolver.ts'
