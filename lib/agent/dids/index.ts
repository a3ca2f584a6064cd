/** DIDs: those of the agents, and what is known of others'. */
export { AgentDidRepository, didsWithKey, isOfDid, KnownDids, shareDids, storeTheirDid } from './did-repository.ts'
export { BoundedJwkDidResolver, DocumentCache, LinearPeerDidResolver, SharedKeyDidResolver } from './did-resolvers.ts'
export { assertOwnDid, assertReachableDid, didOfKey, freshPeerDid, issuerDid, ownKey } from './dids.ts'
export { AgentDocumentService } from './document-service.ts'
export { findOwnDid } from './own-dids.ts'
export { resolveDid } from './resolve-did.ts'
export {
  authenticationMethod,
  reachableKeysOf,
  reachableServicesOf,
  recipientKeysOf,
  UnusableDidError,
} from './their-services.ts'
export { issuerOf } from './webvh-issuer.ts'
export { writeDid } from './write-did.ts'
