/** Rejects JSONPaths of a definition that no credential can satisfy, because they need an order that RDF sets lack. */
import { invalidField } from '../../../errors.ts'
import { isObject } from '../../../json.ts'
import { fieldsOf } from '../../../presentation-exchange/definition-schema.ts'
import { needsOrder, type OrderedNames, parseTenantPath } from '../../../presentation-exchange/path.ts'
import type { RequestedDefinition } from './prepared-contexts.ts'
import type { ContextDocument } from './verifier-contexts.ts'

const DEFINITION = 'proofFormats.presentationExchange.presentationDefinition'

/**
 * Throws `request.invalid` for a field of which every path needs an order of values that these contexts do not define.
 * The documents are read only if a path needs an order.
 */
export const assertOrdered = async (
  { presentationDefinition }: RequestedDefinition,
  documents: () => Promise<readonly ContextDocument[]>,
): Promise<void> => {
  const unsatisfiableField = (names: OrderedNames) =>
    fieldsOf(presentationDefinition).find(({ value }) =>
      value.path.every((text) => needsOrder(parseTenantPath(text) ?? [], names)),
    )
  const field = unsatisfiableField(ORDERED_KEYWORDS) && unsatisfiableField(orderedNames(await documents()))
  if (field !== undefined)
    throw invalidField(
      `${DEFINITION}.${field.path.join('.')}.path`,
      'must have a path without an index other than [0] and [-1]: several values have an order only in a term with "@container": "@list"',
    )
}

/** Members that are ordered in all contexts. */
const ORDERED_KEYWORDS: OrderedNames = {
  lists: new Set(['@context', '@type', 'type', '@list']),
  literals: new Set(['@value']),
}

/** Ordered members by the term definitions of contexts, also of scoped ones. */
const orderedNames = (documents: readonly ContextDocument[]): OrderedNames => {
  const lists = new Set(ORDERED_KEYWORDS.lists)
  const literals = new Set(ORDERED_KEYWORDS.literals)
  const pending: unknown[] = documents.map((document) => document['@context'])
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null) continue
    for (const [name, definition] of Object.entries(value)) {
      if (isObject(definition) && [definition['@container']].flat().includes('@list')) lists.add(name)
      if (isObject(definition) && definition['@type'] === '@json') literals.add(name)
      if (definition !== undefined) pending.push(definition)
    }
  }
  return { lists, literals }
}
