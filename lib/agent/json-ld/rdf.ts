/** JSON-LD as RDF, within limits: a signature covers a set of quads, not the JSON that they were written in. */
import { createHash } from 'node:crypto'
import { CredoError } from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import { countingResolver } from './context-use.ts'

/** Loaded on first use, because most messages have no JSON-LD. */
export const processor = async () => (await import('@digitalcredentials/jsonld')).default

const N_QUADS = 'application/n-quads'

/** Limits of one verification, for all documents of a presentation and their proofs together. */
export interface Budget {
  quads: number
  /**
   * Number of hashes for blank nodes. Indistinguishable ones take factorial time: without a limit, 8 that refer to each other exceed a function's
   * timeout. A usual document hashes each of its quads once or twice.
   */
  hashed: number
  /** Number of copied context terms: all active ones are copied wherever a type or a property has a context of its own. 3,000 take up to 5 ms. */
  terms: number
}

/** About half a second of processor time at most for each. */
export const newBudget = (): Budget => ({ quads: 10_000, hashed: 40_000, terms: 500_000 })

/** The quads of a document (N-Quads). Throws if a value would be dropped, and so not signed, and if the budget is used up. */
export const toQuads = async (document: unknown, documentLoader: DocumentLoader, budget: Budget): Promise<string> => {
  const { toRDF } = await processor()
  const contextResolver = await countingResolver(budget, 1)
  const quads = await toRDF(document, { format: N_QUADS, documentLoader, contextResolver, safe: true, base: null })
  budget.quads -= quads.split('\n').length - 1
  if (budget.quads < 0) throw new CredoError('the documents have too many statements')
  return quads
}

/** SHA-256 within the budget. */
const digests = (budget: Budget) => () => {
  const hash = createHash('sha256')
  return {
    update: (text: string) => {
      if (--budget.hashed < 0) throw new CredoError('the blank nodes of the documents can not be told apart')
      hash.update(text)
    },
    digest: () => hash.digest('hex'),
  }
}

/** RDF Dataset Canonicalization of N-Quads (URDNA2015). Throws if the budget is used up. */
export const canonicalize = async (quads: string, budget: Budget): Promise<string> => {
  const { canonize } = await processor()
  return canonize(quads, { inputFormat: N_QUADS, format: N_QUADS, createMessageDigest: digests(budget) })
}
