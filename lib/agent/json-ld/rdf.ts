/** JSON-LD as RDF, within limits: what a signature covers is a set of quads, and never the JSON that it was written in. */
import { CredoError } from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'

/** The processor is loaded when the first document needs it: most messages have none. */
export const processor = async () => (await import('@digitalcredentials/jsonld')).default

const N_QUADS = 'application/n-quads'

/** Far above any credential; canonicalization takes about 10 µs a quad. */
export const MAX_QUADS = 5_000
export const MAX_BLANK_NODES = 250
/**
 * How often the canonicalization may look at one blank node's neighbours. Blank nodes that can't be told apart take factorial time
 * without a limit: 8 that refer to each other take longer than a function's timeout. Credentials need 1 or 2.
 */
const MAX_DEEP_ITERATIONS = 64

/**
 * The quads of a document (N-Quads). Throws where a value would be dropped, since it would not be signed, and where the
 * document is larger than a credential can be.
 */
export const toQuads = async (document: unknown, documentLoader: DocumentLoader): Promise<string> => {
  const { toRDF } = await processor()
  const quads = await toRDF(document, { format: N_QUADS, documentLoader, safe: true, base: null })
  if (quads.split('\n').length - 1 > MAX_QUADS) throw new CredoError(`the document has more than ${MAX_QUADS} quads`)
  if (new Set(quads.match(/_:b\d+/g)).size > MAX_BLANK_NODES)
    throw new CredoError(`the document has more than ${MAX_BLANK_NODES} blank nodes`)
  return quads
}

/** RDF Dataset Canonicalization of N-Quads (URDNA2015). Throws where the blank nodes can't be told apart with bounded work. */
export const canonicalize = async (quads: string): Promise<string> => {
  const { canonize } = await processor()
  return canonize(quads, { inputFormat: N_QUADS, format: N_QUADS, maxDeepIterations: MAX_DEEP_ITERATIONS })
}
