/**
 * Builds JSON in the verifier's terms from signed quads. A signature covers quads, and the holder writes the JSON
 * around them: other terms, nesting and order have the same quads. So verifiers read JSON that is built only from the
 * quads and their own contexts.
 */
import { randomBytes } from 'node:crypto'
import { CredoError } from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import { shortReason } from '../../../errors.ts'
import { findFlaw, isObject, MAX_DEPTH, UNSAFE_NAMES } from '../../../json.ts'
import { JsonLiteral, OrderedList } from '../../../presentation-exchange/claims.ts'
import { countingResolver } from './context-use.ts'
import { type Budget, processor } from './rdf.ts'

type Json = Record<string, unknown>

const CREDENTIALS = 'https://www.w3.org/2018/credentials#'
export const XSD = 'http://www.w3.org/2001/XMLSchema#'
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

/** The statements of a credential or presentation: the nodes of its graph, and the node that is the document. */
export interface Statements {
  root: Node
  nodes: ReadonlyMap<string, Node>
}

/**
 * Parses N-Quads. `type` is the document's own type: only one node may have it, or the holder could choose which one is
 * the document. Named graphs are skipped: they hold a presentation's credentials, which are verified separately.
 */
export const readStatements = async (quads: string, type: string): Promise<Statements> => {
  const { fromRDF } = await processor()
  const options = { format: 'application/n-quads', useNativeTypes: false } as const
  // Of JSON in a text it parses any depth by recursion.
  const all = await fromRDF(quads, options).catch((cause) => {
    throw new CredoError('the document has a text that is not the JSON that it is said to be', { cause })
  })
  const flaw = findFlaw(all, { maxDepth: MAX_DEPTH, forbidden: UNSAFE_NAMES })
  if (flaw !== undefined) throw new CredoError(`the document ${flaw.message}`)
  const graph = all.filter(isNode)
  if (type === CREDENTIAL && graph.some((node) => '@graph' in node))
    throw new CredoError('the credential has named graphs')
  const [root, another] = graph.filter((node) => typesOf(node).includes(type))
  if (root === undefined || another !== undefined) throw new CredoError(`not exactly one node is a ${type}`)
  return { root, nodes: new Map(graph.map((node) => [node['@id'], node])) }
}

/** IRIs that are values of a property of the document. */
export const irisOf = ({ root }: Statements, property: string): string[] =>
  asArray(root[`${CREDENTIALS}${property}`]).flatMap((value) =>
    isNode(value) && !value['@id'].startsWith('_:') ? [value['@id']] : [],
  )

/** Values of properties of the document as dates, in ms since the epoch; NaN for a value that is none. */
export const datesOf = ({ root }: Statements, ...properties: string[]): number[] =>
  properties
    .flatMap((property) => asArray(root[`${CREDENTIALS}${property}`]))
    .map((value) => Date.parse(isObject(value) ? String(value['@value']) : ''))

export const typeIrisOf = ({ root }: Statements): string[] => typesOf(root)

/** IRIs of all types and properties, without those of every credential. */
export const vocabularyOf = ({ nodes }: Statements): string[] =>
  [...nodes.values()]
    .flatMap((node) => [...typesOf(node), ...Object.keys(node)])
    .filter((iri) => !iri.startsWith('@') && !iri.startsWith(CREDENTIALS))

/** Relative cost of compaction: it sorts the copied terms, which takes five times as long as copying. */
const COMPACTION = 5

/**
 * The document's claims in the terms of `contexts` (addresses for the loader, or contexts in full). Quads have no order,
 * so values are sorted by their text; `type` starts with the document's own. Throws a CredoError for what can't be said
 * in these terms, such as an IRI that begins with one of their prefixes.
 */
export const toClaims = async (
  statements: Statements,
  contexts: readonly unknown[],
  documentLoader: DocumentLoader,
  budget: Budget,
): Promise<Json> => {
  const { compact } = await processor()
  const options = { documentLoader, contextResolver: await countingResolver(budget, COMPACTION) }
  const { '@context': context, ...json } = await compact(
    withMarks(tree(statements, budget)),
    { '@context': contexts },
    options,
  ).catch((error) => {
    throw error.name?.startsWith('jsonld.') ? new CredoError(shortReason(error.message)) : error
  })
  const { credentialSubject: subject } = json
  return {
    '@context': new JsonLiteral(asArray(context)),
    ...claimsOfMembers(json),
    type: new OrderedList(asArray(json.type)),
    // Compaction turns a subject that has an id and no claims into a text.
    ...(typeof subject === 'string' && { credentialSubject: { id: subject } }),
  }
}

/** Throws a CredoError for a credential that is over, or whose status would have to be read: nobody verifies it here. */
export const assertVerifiable = (credential: Statements): void => {
  if (`${CREDENTIALS}credentialStatus` in credential.root)
    throw new CredoError('the status of a credential can not be verified')
  if (!datesOf(credential, 'expirationDate', 'validUntil').every((date) => date > Date.now()))
    throw new CredoError('a credential has expired')
}

/** Throws a CredoError if the document is too large or too deep to be shown. */
export const assertShowable = (statements: Statements, budget: Budget): void => {
  tree(statements, budget)
}

/**
 * The document as a tree: each IRI node once, below its first reference, the subject first; blank nodes at each
 * reference.
 */
const tree = ({ root, nodes }: Statements, budget: Budget): Json => {
  const embedded = new Set<string>()

  const embed = (id: string, path: ReadonlySet<string>): Json => {
    const node = nodes.get(id)
    const isBlank = id.startsWith('_:')
    if (node === undefined || path.has(id) || embedded.has(id)) return isBlank ? {} : { '@id': id }
    budget.bytes -= Buffer.byteLength(JSON.stringify(node))
    if (budget.bytes < 0) throw new CredoError('the documents are too large, or refer to the same nodes too often')
    if (path.size > MAX_DEPTH) throw new CredoError(`the document has more than ${MAX_DEPTH} nodes in each other`)
    if (!isBlank) embedded.add(id)
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
    if (isNode(one)) return embed(one['@id'], path)
    if (isObject(one) && Array.isArray(one['@list'])) return { '@list': one['@list'].map((item) => value(item, path)) }
    if (isObject(one) && one['@type'] === '@json') return one
    return isObject(one) ? withNativeValue(one) : one
  }

  return embed(root['@id'], new Set())
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const compareTypes = (a: string, b: string): number => Number(isOwnType(b)) - Number(isOwnType(a)) || compare(a, b)

const isOwnType = (type: string): boolean => type === CREDENTIAL || type === PRESENTATION

const sorted = (values: unknown[]): unknown[] =>
  values.toSorted((a, b) => compare(JSON.stringify(a), JSON.stringify(b)))

export const DOUBLE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d+)?$/

/** By type: the texts that XML Schema reads as a number or boolean. JavaScript also reads others, such as the empty one. */
const NATIVE = new Map([
  [`${XSD}boolean`, /^(?:true|false|[01])$/],
  [`${XSD}integer`, /^[+-]?\d+$/],
  [`${XSD}double`, DOUBLE],
])

/** Converts the typed text of a quad (XML Schema) to a JSON number or boolean. */
const withNativeValue = (value: Json): Json => {
  const { '@value': text, '@type': type } = value
  if (typeof text !== 'string' || typeof type !== 'string' || NATIVE.get(type)?.test(text) !== true) return value
  if (type === `${XSD}boolean`) return { ...value, '@value': text === 'true' || text === '1' }
  const number = Number(text)
  const exact = Number.isFinite(number) && (type !== `${XSD}integer` || Number.isSafeInteger(number))
  return exact ? { ...value, '@value': number } : value
}

/**
 * Names of what would be taken for a set once the document is compacted: JSON literals, and the end of lists. IRIs,
 * because they are properties as well. No issuer can guess them.
 */
const LITERAL = `x${randomBytes(16).toString('hex')}:`
const END = `${LITERAL}end`

/**
 * The tree with its JSON literals named, and one element more in each list. That is of the kind of the first, because
 * the term of a list depends on the types of its elements.
 */
const withMarks = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withMarks)
  if (!isObject(value)) return value
  if (value['@type'] === '@json') return { ...value, '@value': { [LITERAL]: value['@value'] } }
  const { '@list': list } = value
  if (!Array.isArray(list))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withMarks(member)]))
  const [first, ...others] = list.map(withMarks)
  const end = isObject(first) && '@value' in first ? { ...first, '@value': END } : { [END]: [{ '@value': true }] }
  return { '@list': first === undefined ? [] : [first, ...others, end] }
}

const isEnd = (value: unknown): boolean =>
  value === END || (isObject(value) && (END in value || Object.values(value).includes(END)))

/** Types have the order in which they were sorted. */
const TYPES = ['type', '@type']

const claimsOf = (compacted: unknown): unknown => {
  if (Array.isArray(compacted)) {
    if (compacted.length === 0) return new OrderedList([])
    return isEnd(compacted.at(-1))
      ? new OrderedList(compacted.slice(0, -1).map(claimsOf))
      : compacted.map((one) => claimsOf(one))
  }
  if (!isObject(compacted)) return compacted
  if (LITERAL in compacted) return new JsonLiteral(compacted[LITERAL])
  // Compaction keeps the type of numbers and booleans of untyped terms.
  const value = compacted['@value']
  return typeof value === 'number' || typeof value === 'boolean' ? value : claimsOfMembers(compacted)
}

const claimsOfMembers = (compacted: Json): Json =>
  Object.fromEntries(
    Object.entries(compacted).map(([name, member]) => [
      name,
      TYPES.includes(name) && Array.isArray(member) ? new OrderedList(member) : claimsOf(member),
    ]),
  )
