/** Credo's resolvers of DIDs that contain their document, within bounds. */
import { JwkDidResolver, KeyDidResolver, PeerDidResolver } from '@credo-ts/core'
import { resolveBounded, resolveOnce } from './did-documents.ts'
import { resolvePeerDid } from './peer-dids.ts'

export class SharedKeyDidResolver extends KeyDidResolver {
  override resolve(...[agentContext, did]: Parameters<KeyDidResolver['resolve']>) {
    return resolveOnce(did, () => super.resolve(agentContext, did))
  }
}

export class BoundedJwkDidResolver extends JwkDidResolver {
  override resolve(...parameters: Parameters<JwkDidResolver['resolve']>) {
    return resolveBounded(parameters[1], () => super.resolve(...parameters))
  }
}

export class LinearPeerDidResolver extends PeerDidResolver {
  override resolve(...[agentContext, did]: Parameters<PeerDidResolver['resolve']>) {
    return resolvePeerDid(agentContext, did, (readable) => super.resolve(agentContext, readable))
  }
}
