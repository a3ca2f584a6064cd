/** Answers feature queries (Aries RFC 0031, 0557). */
import { DidCommFeatureRegistry, DidCommProtocol } from '@credo-ts/didcomm'

/** Supported features that Credo does not register. */
export const UNREGISTERED_FEATURES = [
  new DidCommProtocol({ id: 'https://didcomm.org/trust_ping/1.0', roles: ['sender', 'receiver'] }),
  new DidCommProtocol({ id: 'https://didcomm.org/revocation_notification/2.0', roles: ['issuer'] }),
]

export class AgentFeatureRegistry extends DidCommFeatureRegistry {
  /** Credo repeats all features for each of hundreds of equal queries in a message: 1 MB for 25 KB. */
  override query(...queries: Parameters<DidCommFeatureRegistry['query']>) {
    return [...new Set(super.query(...queries))]
  }
}
