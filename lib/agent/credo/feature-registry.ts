/** Answers feature queries (Aries RFC 0031, 0557). */
import { DidCommFeatureRegistry } from '@credo-ts/didcomm'

/** Credo repeats all features for each of hundreds of equal queries in a message: 1 MB for 25 KB. */
export class AgentFeatureRegistry extends DidCommFeatureRegistry {
  override query(...queries: Parameters<DidCommFeatureRegistry['query']>) {
    return [...new Set(super.query(...queries))]
  }
}
