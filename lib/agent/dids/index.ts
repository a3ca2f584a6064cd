/** The agents' own DIDs, and the DIDs of other agents. */
export { DocumentCache } from './did-documents.ts'
export { DidRecordCache } from './did-record-cache.ts'
export { AgentDidRepository } from './did-repository.ts'
export { BoundedJwkDidResolver, LinearPeerDidResolver, SharedKeyDidResolver } from './did-resolvers.ts'
export { assertOwnDid, assertReachableDid, didOfKey, freshPeerDid, issuerDid, ownKey } from './dids.ts'
export { AgentDocumentService } from './document-service.ts'
export { findOwnDid } from './own-dids.ts'
export { carriesDocument } from './peer-dids.ts'
export { resolveDid } from './resolve-did.ts'
export { mayBeTheirDid } from './their-did-forms.ts'
export { didsWithKey, formsOf, hasDid, isKeyOf, newestDidsWithKey, shareDids, storeTheirDid } from './their-dids.ts'
export {
  authenticationMethod,
  reachableKeysOf,
  reachableServicesOf,
  recipientKeysOf,
  UnusableDidError,
} from './their-services.ts'
export { issuerOf } from './webvh-issuer.ts'
export { writeDid } from './write-did.ts'
