/**
 * JSON out of signed quads, in the verifier's terms. A signature covers quads. The JSON that carries them is the holder's to write: other
 * terms, another nesting, another order have the same quads. So what a verifier reads is made from the quads and from the verifier's
 * contexts alone.
 */
import { CredoError } from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import { isObject, MAX_DEPTH } from '../../json.ts'
import { countingResolver } from './context-use.ts'
import { type Budget, processor } from './rdf.ts'

type Json = Record<string, unknown>

const CREDENTIALS = 'https://www.w3.org/2018/credentials#'
const XSD = 'http://www.w3.org/2001/XMLSchema#'
export const CREDENTIAL = `${CREDENTIALS}VerifiableCredential`
export const PRESENTATION = `${CREDENTIALS}VerifiablePresentation`
const SUBJECT = `${CREDENTIALS}credentialSubject`

/** A node of the default graph, in expanded form. */
interface Node extends Json {
  '@id': string
}

const isNode = (value: unknown): value is Node => isObject(value) && typeof value['@id'] === 'string'

const asArray = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value])

const typesOf = (node: Node): string[] => asArray(node['@type']).map(String)

/** What is stated of one credential or presentation: the nodes of its graph, and which of them is the document itself. */
export interface Statements {
  root: Node
  nodes: ReadonlyMap<string, Node>
}

/**
 * Reads N-Quads. `type` is the document's own: only one node may have it, or the holder could choose which of them is the
 * document. Named graphs are left out: a presentation's credentials are in such graphs, and are verified by themselves.
 */
export const readStatements = async (quads: string, type: string): Promise<Statements> => {
  const { fromRDF } = await processor()
  const graph = (await fromRDF(quads, { format: 'application/n-quads', useNativeTypes: false })).filter(isNode)
  if (type === CREDENTIAL && graph.some((node) => '@graph' in node))
    throw new CredoError('the credential has named graphs')
  const [root, another] = graph.filter((node) => typesOf(node).includes(type))
  if (root === undefined || another !== undefined) throw new CredoError(`not exactly one node is a ${type}`)
  return { root, nodes: new Map(graph.map((node) => [node['@id'], node])) }
}

/** The IRIs that a property of the document has as values. */
export const irisOf = ({ root }: Statements, property: string): string[] =>
  asArray(root[`${CREDENTIALS}${property}`]).flatMap((value) =>
    isNode(value) && !value['@id'].startsWith('_:') ? [value['@id']] : [],
  )

/** The texts that a property of the document has as values. */
export const literalsOf = ({ root }: Statements, property: string): string[] =>
  asArray(root[`${CREDENTIALS}${property}`]).flatMap((value) =>
    isObject(value) && typeof value['@value'] === 'string' ? [value['@value']] : [],
  )

export const has = ({ root }: Statements, property: string): boolean => `${CREDENTIALS}${property}` in root

export const typeIrisOf = ({ root }: Statements): string[] => typesOf(root)

/** Compaction sorts the terms that it has copied, which takes five times as long as copying them. */
const COMPACTION = 5

/**
 * The document in the terms of `contexts` (addresses that the loader knows). The order of values is that of their text and
 * not the holder's, since quads have none; `type` begins with the document's own.
 */
export const toVerifierJson = async (
  statements: Statements,
  contexts: readonly string[],
  documentLoader: DocumentLoader,
  budget: Budget,
): Promise<Json> => {
  const { compact } = await processor()
  const options = { documentLoader, contextResolver: await countingResolver(budget, COMPACTION) }
  const { '@context': context, ...json } = await compact(tree(statements, budget), { '@context': contexts }, options)
  const { credentialSubject: subject } = json
  return {
    '@context': asArray(context),
    ...(withoutNativeTypes(json) as Json),
    type: asArray(json.type),
    // Compaction makes text of a subject that has an id and no claim.
    ...(typeof subject === 'string' && { credentialSubject: { id: subject } }),
  }
}

/**
 * The document as a tree: each node that has an IRI once, under its first reference, and the subject before anything else. A blank node is
 * wherever it is referred to.
 */
const tree = ({ root, nodes }: Statements, budget: Budget): Json => {
  const placed = new Set<string>()

  const place = (id: string, path: ReadonlySet<string>): Json => {
    const node = nodes.get(id)
    const isBlank = id.startsWith('_:')
    if (node === undefined || path.has(id) || placed.has(id)) return isBlank ? {} : { '@id': id }
    budget.bytes -= Buffer.byteLength(JSON.stringify(node))
    if (budget.bytes < 0) throw new CredoError('the documents are too large, or refer to the same nodes too often')
    if (path.size > MAX_DEPTH) throw new CredoError(`the document has more than ${MAX_DEPTH} nodes in each other`)
    if (!isBlank) placed.add(id)
    const below = new Set([...path, id])
    const properties = Object.keys(node)
      .filter((name) => name !== '@id' && name !== '@type' && name !== '@graph')
      .sort((a, b) => Number(b === SUBJECT) - Number(a === SUBJECT) || compare(a, b))
    return {
      ...(isBlank ? {} : { '@id': id }),
      ...('@type' in node && { '@type': typesOf(node).sort(compareTypes) }),
      ...Object.fromEntries(
        properties.map((name) => [name, sorted(asArray(node[name]).map((one) => value(one, below)))]),
      ),
    }
  }

  const value = (one: unknown, path: ReadonlySet<string>): unknown => {
    if (isNode(one)) return place(one['@id'], path)
    if (isObject(one) && Array.isArray(one['@list'])) return { '@list': one['@list'].map((item) => value(item, path)) }
    return isObject(one) ? withNativeValue(one) : one
  }

  return place(root['@id'], new Set())
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const compareTypes = (a: string, b: string): number => Number(isOwnType(b)) - Number(isOwnType(a)) || compare(a, b)

const isOwnType = (type: string): boolean => type === CREDENTIAL || type === PRESENTATION

const sorted = (values: unknown[]): unknown[] =>
  values.toSorted((a, b) => compare(JSON.stringify(a), JSON.stringify(b)))

const NUMBERS = [`${XSD}integer`, `${XSD}double`]

/** A value of quads, which is text with an XML Schema type, as JSON has it: numbers and booleans are their own. */
const withNativeValue = (value: Json): Json => {
  const { '@value': text, '@type': type } = value
  if (typeof text !== 'string' || typeof type !== 'string') return value
  if (type === `${XSD}boolean`) return { ...value, '@value': text === 'true' || text === '1' }
  const number = Number(text)
  const exact = Number.isFinite(number) && (type !== `${XSD}integer` || Number.isSafeInteger(number))
  return NUMBERS.includes(type) && exact ? { ...value, '@value': number } : value
}

/** Compaction keeps the type of a number or boolean whose term says none. */
const withoutNativeTypes = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(withoutNativeTypes)
  if (!isObject(json)) return json
  const held = json['@value']
  if (typeof held === 'number' || typeof held === 'boolean') return held
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, withoutNativeTypes(member)]))
}
