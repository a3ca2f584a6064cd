/** JSON-LD as RDF, within limits: a signature covers a set of quads, not the JSON that they were written in. */
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
   * Statements in one document, by an estimate: those of one property are compared with each other before their quads
   * can be counted.
   */
  readonly statements: number
  /** Number of quads. Parsing compares each with all others. */
  quads: number
  /**
   * Characters of all quads as text. Each repeats its subject and its property, so that a long name with many values
   * could become gigabytes.
   */
  characters: number
  /**
   * Number of hashes for blank nodes. Indistinguishable ones take factorial time: without a limit, 8 that refer to each
   * other exceed a function's timeout. A usual document hashes each of its quads once or twice.
   */
  hashed: number
  /**
   * Number of copied context terms: all active ones are copied wherever a type or a property has a context of its own.
   * 3,000 take up to 5 ms.
   */
  terms: number
  /**
   * Bytes of the shown JSON, which is stored in one item of 400 KB at most. Blank nodes are shown wherever they are
   * referred to, so that 2 KB could become any number of gigabytes.
   */
  bytes: number
}

/** About half a second of processor time at most for each. */
export const newBudget = (): Budget => ({
  statements: 4_000,
  quads: 5_000,
  characters: 3_000_000,
  hashed: 40_000,
  terms: 500_000,
  bytes: 320 * 1024,
})

/** Quads, names and hashes of a presentation and of all proofs. */
const AROUND_A_CREDENTIAL = 100
/** Its submission has at most 50 descriptors, and is one quad. */
const STATEMENTS_AROUND_A_CREDENTIAL = 300

/**
 * What a presentation leaves for its only credential: a verifier reads that alone and within the presentation, and
 * shows it once.
 */
export const newCredentialBudget = (): Budget => {
  const { statements, quads, characters, hashed, terms, bytes } = newBudget()
  const half = (whole: number): number => (whole - AROUND_A_CREDENTIAL) / 2
  return {
    statements: statements - STATEMENTS_AROUND_A_CREDENTIAL,
    ...{ quads: half(quads), characters: half(characters), hashed: half(hashed), terms: half(terms), bytes },
  }
}

/** Members that state nothing by themselves. */
const NO_STATEMENTS = new Set(['@context', '@id', 'id'])

/** Estimates the number of the document's quads, without making them. */
const statementsIn = (document: unknown): number => {
  let count = 0
  const pending = [document]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (!Array.isArray(value)) count++
    if (typeof value !== 'object' || value === null) continue
    for (const [name, member] of Object.entries(value)) if (!NO_STATEMENTS.has(name)) pending.push(member)
  }
  return count
}

/**
 * The quads of a document (N-Quads). Throws if a value would be dropped, and so not signed, and if the budget is used
 * up.
 */
export const toQuads = async (...of: Parameters<typeof quadsOf>): Promise<string> => {
  const quads = await quadsOf(...of)
  const { default: NQuads } = await import('@digitalcredentials/jsonld/lib/NQuads.js')
  return NQuads.serialize(quads)
}

/** What a document makes statements of or refers to, except texts. Throws as `toQuads`. */
export const nodesIn = async (...of: Parameters<typeof quadsOf>): Promise<ReadonlySet<string>> =>
  new Set(
    (await quadsOf(...of))
      .flatMap(({ subject, object }) => [subject, object])
      .flatMap(({ termType, value }) => (termType === 'Literal' ? [] : [value])),
  )

const quadsOf = async (document: unknown, documentLoader: DocumentLoader, budget: Budget): Promise<Quad[]> => {
  if (statementsIn(document) > budget.statements) throw tooMany()
  const { toRDF } = await processor()
  const contextResolver = await countingResolver(budget, 1)
  const quads = await toRDF(document, { documentLoader, contextResolver, safe: true, base: null })
  budget.quads -= quads.length
  if (budget.quads < 0) throw tooMany()
  budget.characters -= quads.reduce((sum, quad) => sum + charactersOf(quad), 0)
  if (budget.characters < 0) throw new CredoError('the documents repeat long names too often')
  return quads
}

const charactersOf = ({ subject, predicate, object, graph }: Quad): number =>
  [subject, predicate, object, graph].reduce((sum, { value }) => sum + value.length, 0)

const tooMany = (): CredoError => new CredoError('the documents have too many statements')

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
