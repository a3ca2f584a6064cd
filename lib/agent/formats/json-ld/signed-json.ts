/**
 * Builds JSON in the verifier's terms from signed quads. A signature covers quads, and the holder writes the JSON:
 * other terms, nesting and order can have the same quads. So verifiers read JSON that is built only from the quads and
 * their own contexts.
 */
import { randomBytes } from 'node:crypto'
import { CredoError } from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import { shortReason } from '../../../errors.ts'
import { findViolation, isObject, MAX_DEPTH, UNSAFE_NAMES } from '../../../json.ts'
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

/** The statements of a credential or presentation: the nodes of its graph, of which `root` is the document itself. */
export interface Statements {
  root: Node
  nodes: ReadonlyMap<string, Node>
}

/**
 * Parses N-Quads. `type` is the type of the document: only one node may have it, or the holder could choose the root.
 * Named graphs are skipped: they are a presentation's credentials, which are verified separately.
 */
export const readStatements = async (quads: string, type: string): Promise<Statements> => {
  const { fromRDF } = await processor()
  const options = { format: 'application/n-quads', useNativeTypes: false } as const
  // Fails for an invalid JSON literal, or one that is nested too deeply.
  const all = await fromRDF(quads, options).catch((cause) => {
    throw new CredoError('the document has an invalid JSON literal', { cause })
  })
  const violation = findViolation(all, { maxDepth: MAX_DEPTH, forbidden: UNSAFE_NAMES })
  if (violation !== undefined) throw new CredoError(`the document ${violation.message}`)
  const graph = all.filter(isNode)
  if (type === CREDENTIAL && graph.some((node) => '@graph' in node))
    throw new CredoError('the credential has named graphs')
  const [root, another] = graph.filter((node) => typesOf(node).includes(type))
  if (root === undefined || another !== undefined) throw new CredoError(`exactly one node must have the type ${type}`)
  return { root, nodes: new Map(graph.map((node) => [node['@id'], node])) }
}

/** IRIs that are values of a property of the document. */
export const irisOf = ({ root }: Statements, property: string): string[] =>
  asArray(root[`${CREDENTIALS}${property}`]).flatMap((value) =>
    isNode(value) && !value['@id'].startsWith('_:') ? [value['@id']] : [],
  )

/** Values of properties of the document as dates, in ms since the epoch; NaN for a value that is not a date. */
export const datesOf = ({ root }: Statements, ...properties: string[]): number[] =>
  properties
    .flatMap((property) => asArray(root[`${CREDENTIALS}${property}`]))
    .map((value) => Date.parse(isObject(value) ? String(value['@value']) : ''))

export const typeIrisOf = ({ root }: Statements): string[] => typesOf(root)

/** IRIs of all types and properties, except those of the W3C credentials vocabulary. */
export const vocabularyOf = ({ nodes }: Statements): string[] =>
  [...nodes.values()]
    .flatMap((node) => [...typesOf(node), ...Object.keys(node)])
    .filter((iri) => !iri.startsWith('@') && !iri.startsWith(CREDENTIALS))

/** Cost of a copied term in compaction, which also sorts the terms: that takes five times as long as copying. */
const COMPACTION_COST = 5

/**
 * The document's claims in the terms of `contexts` (addresses or inline contexts). Quads have no order, so values are
 * sorted by their text; `type` starts with the type of the document. Throws a CredoError if the claims cannot be
 * compacted with these contexts, such as an IRI that begins with one of their prefixes.
 */
export const toClaims = async (
  statements: Statements,
  contexts: readonly unknown[],
  documentLoader: DocumentLoader,
  budget: Budget,
): Promise<Json> => {
  const { compact } = await processor()
  const options = { documentLoader, contextResolver: await countingResolver(budget, COMPACTION_COST) }
  const { '@context': context, ...json } = await compact(
    withSentinels(tree(statements, budget)),
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
    // Compaction turns a subject that has only an id into a string.
    ...(typeof subject === 'string' && { credentialSubject: { id: subject } }),
  }
}

/** Throws a CredoError for a credential that has expired or has a status, which verifiers here cannot check. */
export const assertVerifiable = (credential: Statements): void => {
  if (`${CREDENTIALS}credentialStatus` in credential.root)
    throw new CredoError('the status of a credential cannot be verified')
  if (!datesOf(credential, 'expirationDate', 'validUntil').every((date) => date > Date.now()))
    throw new CredoError('a credential has expired')
}

/** Throws a CredoError if the claims of the document are too large or nested too deeply. */
export const assertClaimsWithinLimits = (statements: Statements, budget: Budget): void => {
  tree(statements, budget)
}

/**
 * The document as a tree, with `credentialSubject` first: a node with an IRI is embedded once, at its first reference;
 * a blank node is embedded at each reference.
 */
const tree = ({ root, nodes }: Statements, budget: Budget): Json => {
  const embedded = new Set<string>()

  const embed = (id: string, path: ReadonlySet<string>): Json => {
    const node = nodes.get(id)
    const isBlank = id.startsWith('_:')
    if (node === undefined || path.has(id) || embedded.has(id)) return isBlank ? {} : { '@id': id }
    budget.bytes -= Buffer.byteLength(JSON.stringify(node))
    if (budget.bytes < 0) throw new CredoError('the documents are too large, or refer to the same nodes too often')
    if (path.size > MAX_DEPTH) throw new CredoError(`the document has more than ${MAX_DEPTH} nested nodes`)
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

export const DOUBLE_PATTERN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d+)?$/

/** Lexical forms of XML Schema by datatype. JavaScript converts other texts too, such as the empty one. */
const LEXICAL_FORMS = new Map([
  [`${XSD}boolean`, /^(?:true|false|[01])$/],
  [`${XSD}integer`, /^[+-]?\d+$/],
  [`${XSD}double`, DOUBLE_PATTERN],
])

/** Converts a literal with a datatype of XML Schema to a JSON number or boolean. */
const withNativeValue = (value: Json): Json => {
  const { '@value': text, '@type': type } = value
  if (typeof text !== 'string' || typeof type !== 'string' || LEXICAL_FORMS.get(type)?.test(text) !== true) return value
  if (type === `${XSD}boolean`) return { ...value, '@value': text === 'true' || text === '1' }
  const number = Number(text)
  const exact = Number.isFinite(number) && (type !== `${XSD}integer` || Number.isSafeInteger(number))
  return exact ? { ...value, '@value': number } : value
}

/**
 * Sentinels, because compacted JSON shows JSON literals and lists like sets: the property that wraps a JSON literal,
 * and the last element of a list. They are IRIs, to be valid properties, and random, so that no issuer can use them.
 */
const LITERAL = `x${randomBytes(16).toString('hex')}:`
const END = `${LITERAL}end`

/**
 * Wraps each JSON literal, and adds an end to each list. The end has the type of the first element, because compaction
 * selects the term of a list by the types of its elements.
 */
const withSentinels = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withSentinels)
  if (!isObject(value)) return value
  if (value['@type'] === '@json') return { ...value, '@value': { [LITERAL]: value['@value'] } }
  const { '@list': list } = value
  if (!Array.isArray(list))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withSentinels(member)]))
  const [first, ...others] = list.map(withSentinels)
  const end = isObject(first) && '@value' in first ? { ...first, '@value': END } : { [END]: [{ '@value': true }] }
  return { '@list': first === undefined ? [] : [first, ...others, end] }
}

const isEnd = (value: unknown): boolean =>
  value === END || (isObject(value) && (END in value || Object.values(value).includes(END)))

/** Members for types, which are sorted and therefore ordered. */
const TYPE_MEMBERS = ['type', '@type']

const claimsOf = (compacted: unknown): unknown => {
  if (Array.isArray(compacted)) {
    if (compacted.length === 0) return new OrderedList([])
    return isEnd(compacted.at(-1))
      ? new OrderedList(compacted.slice(0, -1).map(claimsOf))
      : compacted.map((one) => claimsOf(one))
  }
  if (!isObject(compacted)) return compacted
  if (LITERAL in compacted) return new JsonLiteral(compacted[LITERAL])
  // Compaction leaves a value object if the term of a number or boolean has no type.
  const value = compacted['@value']
  return typeof value === 'number' || typeof value === 'boolean' ? value : claimsOfMembers(compacted)
}

const claimsOfMembers = (compacted: Json): Json =>
  Object.fromEntries(
    Object.entries(compacted).map(([name, member]) => [
      name,
      TYPE_MEMBERS.includes(name) && Array.isArray(member) ? new OrderedList(member) : claimsOf(member),
    ]),
  )
