/** JSON-LD as RDF, within limits: a signature covers a set of quads, not the JSON that they were written in. */
import { createHash } from 'node:crypto'
import { CredoError } from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import { hasMoreValuesThan } from '../../json.ts'
import { countingResolver } from './context-use.ts'

/** Loaded on first use, because most messages have no JSON-LD. */
export const processor = async () => (await import('@digitalcredentials/jsonld')).default

const N_QUADS = 'application/n-quads'

/** Limits of one verification, for all documents of a presentation and their proofs together. */
export interface Budget {
  /** Parsing compares each with all others. */
  quads: number
  /**
   * Number of hashes for blank nodes. Indistinguishable ones take factorial time: without a limit, 8 that refer to each other exceed a function's
   * timeout. A usual document hashes each of its quads once or twice.
   */
  hashed: number
  /** Number of copied context terms: all active ones are copied wherever a type or a property has a context of its own. 3,000 take up to 5 ms. */
  terms: number
  /**
   * Of what is shown, as JSON. Blank nodes are shown wherever they are referred to, so that 2 KB could become any number of gigabytes; and it is
   * stored in one item, of 400 KB at most.
   */
  bytes: number
}

/** About half a second of processor time at most for each. */
export const newBudget = (): Budget => ({ quads: 4_000, hashed: 40_000, terms: 500_000, bytes: 320 * 1024 })

/** Values of one property are compared with each other before there is a quad to count: 10,000 take half a second. */
const MAX_DOCUMENT_VALUES = 10_000

/** The quads of a document (N-Quads). Throws if a value would be dropped, and so not signed, and if the budget is used up. */
export const toQuads = async (document: unknown, documentLoader: DocumentLoader, budget: Budget): Promise<string> => {
  if (hasMoreValuesThan(document, MAX_DOCUMENT_VALUES)) throw new CredoError('the documents have too many values')
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
