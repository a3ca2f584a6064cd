/** Credo's resolvers of DIDs that contain their document, within bounds. */
import { JwkDidResolver, KeyDidResolver, PeerDidResolver } from '@credo-ts/core'
import { isReadableDocument } from '../envelopes/index.ts'
import { INVALID, resolveBounded, resolveOnce } from './did-documents.ts'
import { resolvePeerDid } from './peer-dids.ts'

export class SharedKeyDidResolver extends KeyDidResolver {
  override resolve(...[agentContext, did]: Parameters<KeyDidResolver['resolve']>) {
    return resolveOnce(did, () => super.resolve(agentContext, did))
  }
}

export class BoundedJwkDidResolver extends JwkDidResolver {
  override resolve(...parameters: Parameters<JwkDidResolver['resolve']>) {
    return resolveBounded(parameters[1], async () => {
      const resolution = await super.resolve(...parameters)
      // Members of the JWK may have any text.
      return isReadableDocument(resolution.didDocument?.toJSON()) ? resolution : INVALID
    })
  }
}

export class LinearPeerDidResolver extends PeerDidResolver {
  override resolve(...[agentContext, did]: Parameters<PeerDidResolver['resolve']>) {
    return resolvePeerDid(agentContext, did, (readable) => super.resolve(agentContext, readable))
  }
}
