/** Converts JSON-LD to RDF within limits: a signature covers a set of quads, not the JSON that they come from. */
import { createHash } from 'node:crypto'
import { CredoError } from '@credo-ts/core'
import type { DocumentLoader, Quad } from '@digitalcredentials/jsonld'
import { countingResolver } from './context-use.ts'

/** Loaded on first use, because most messages have no JSON-LD. */
export const processor = async () => (await import('@digitalcredentials/jsonld')).default

const N_QUADS = 'application/n-quads'

/** Limits of one verification, for all documents of a presentation and their proofs together. */
export interface Budget {
  /**
   * Estimated number of statements in one document. The processor compares those of one property with each other before
   * quads can be counted.
   */
  readonly statements: number
  /** Number of quads. The parser compares each with all others. */
  quads: number
  /**
   * Characters of all quads. Each repeats its subject and its property, so that a long IRI with many values could
   * become gigabytes.
   */
  characters: number
  /**
   * Number of hashes in canonicalization. Indistinguishable blank nodes take factorial time: without a limit, 8 that
   * refer to each other exceed a function's timeout. A usual document hashes each of its quads once or twice.
   */
  hashes: number
  /** Number of copied terms: all active terms are copied for each use of a scoped context. 3,000 take up to 5 ms. */
  terms: number
  /**
   * Bytes of the JSON of the claims, which is stored in one item of 400 KB at most. A blank node is repeated at each
   * reference, so that 2 KB could become any number of gigabytes.
   */
  bytes: number
}

/** Each limit is about half a second of processor time. */
export const newBudget = (): Budget => ({
  statements: 4_000,
  quads: 5_000,
  characters: 3_000_000,
  hashes: 40_000,
  terms: 500_000,
  bytes: 320 * 1024,
})

/** Quads, terms and hashes of a presentation and all proofs, without the credentials. */
const PRESENTATION_OVERHEAD = 100
/** The same as an estimate: a presentation submission counts with up to 50 descriptors, although it is one quad. */
const PRESENTATION_STATEMENTS = 300

/**
 * The budget of the only credential in a presentation: a verifier reads it twice, alone and within the presentation,
 * and builds its claims once.
 */
export const newCredentialBudget = (): Budget => {
  const { statements, quads, characters, hashes: hashed, terms, bytes } = newBudget()
  const half = (whole: number): number => (whole - PRESENTATION_OVERHEAD) / 2
  return {
    statements: statements - PRESENTATION_STATEMENTS,
    ...{ quads: half(quads), characters: half(characters), hashes: half(hashed), terms: half(terms), bytes },
  }
}

/** Members that are not statements. */
const NON_STATEMENTS = new Set(['@context', '@id', 'id'])

/** Estimates the number of the document's quads without building them. */
const statementsIn = (document: unknown): number => {
  let count = 0
  const pending = [document]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (!Array.isArray(value)) count++
    if (typeof value !== 'object' || value === null) continue
    for (const [name, member] of Object.entries(value)) if (!NON_STATEMENTS.has(name)) pending.push(member)
  }
  return count
}

/**
 * The quads of a document (N-Quads). Throws if a value would be dropped and therefore not signed, and if the budget is
 * used up.
 */
export const toQuads = async (...of: Parameters<typeof quadsOf>): Promise<string> => {
  const quads = await quadsOf(...of)
  const { default: NQuads } = await import('@digitalcredentials/jsonld/lib/NQuads.js')
  return NQuads.serialize(quads)
}

/** IRIs and blank nodes that are a subject or an object in a document. Throws like `toQuads`. */
export const nodesIn = async (...of: Parameters<typeof quadsOf>): Promise<ReadonlySet<string>> =>
  new Set(
    (await quadsOf(...of))
      .flatMap(({ subject, object }) => [subject, object])
      .flatMap(({ termType, value }) => (termType === 'Literal' ? [] : [value])),
  )

const quadsOf = async (document: unknown, documentLoader: DocumentLoader, budget: Budget): Promise<Quad[]> => {
  if (statementsIn(document) > budget.statements) throw tooManyStatements()
  const { toRDF } = await processor()
  const contextResolver = await countingResolver(budget, 1)
  const quads = await toRDF(document, { documentLoader, contextResolver, safe: true, base: null })
  budget.quads -= quads.length
  if (budget.quads < 0) throw tooManyStatements()
  budget.characters -= quads.reduce((sum, quad) => sum + charactersOf(quad), 0)
  if (budget.characters < 0) throw new CredoError('the documents repeat long IRIs too often')
  return quads
}

const charactersOf = ({ subject, predicate, object, graph }: Quad): number =>
  [subject, predicate, object, graph].reduce((sum, { value }) => sum + value.length, 0)

const tooManyStatements = (): CredoError => new CredoError('the documents have too many statements')

/** SHA-256 within the budget. */
const boundedSha256 = (budget: Budget) => () => {
  const hash = createHash('sha256')
  return {
    update: (text: string) => {
      if (--budget.hashes < 0) throw new CredoError('the blank nodes of the documents cannot be distinguished')
      hash.update(text)
    },
    digest: () => hash.digest('hex'),
  }
}

/** RDF Dataset Canonicalization of N-Quads (URDNA2015). Throws if the budget is used up. */
export const canonicalize = async (quads: string, budget: Budget): Promise<string> => {
  const { canonize } = await processor()
  return canonize(quads, { inputFormat: N_QUADS, format: N_QUADS, createMessageDigest: boundedSha256(budget) })
}
