/** What this agent says of its protocols when it is asked (Aries RFC 0031 and 0557): each once, however often it is asked for. */
import { DidCommFeatureRegistry } from '@credo-ts/didcomm'

/** Credo answers hundreds of equal queries of one message by hundreds of copies of all features: a megabyte for 25 KB. */
export class FeatureRegistry extends DidCommFeatureRegistry {
  override query(...queries: Parameters<DidCommFeatureRegistry['query']>) {
    return [...new Set(super.query(...queries))]
  }
}
