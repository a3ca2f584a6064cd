/** Documents of other hosts, read within the budget of a unit of work. */
export {
  boundDocuments,
  boundDocumentsOfJsonLd,
  GuardedWebDidResolver,
  readText,
  UnreadableDocumentError,
  unreadDocument,
} from './documents.ts'
