/** Rejects paths of a definition that no credential can meet, because they need an order that JSON-LD does not keep. */
import { invalidField } from '../../../errors.ts'
import { isObject } from '../../../json.ts'
import { fieldsOf } from '../../../presentation-exchange/definition-schema.ts'
import { needsOrder, type OrderedNames, parseTenantPath } from '../../../presentation-exchange/path.ts'
import type { RequestedDefinition } from './prepared-contexts.ts'
import type { ContextDocument } from './verifier-contexts.ts'

const DEFINITION = 'proofFormats.presentationExchange.presentationDefinition'

/**
 * Throws `request.invalid` for a field all of whose paths need the order of values that have none in these contexts. The
 * documents are read only where a path has such a step.
 */
export const assertOrdered = async (
  { presentationDefinition }: RequestedDefinition,
  documents: () => Promise<readonly ContextDocument[]>,
): Promise<void> => {
  const rejected = (names: OrderedNames) =>
    fieldsOf(presentationDefinition).find(({ value }) =>
      value.path.every((text) => needsOrder(parseTenantPath(text) ?? [], names)),
    )
  const field = rejected(KEYWORDS) && rejected(orderedNames(await documents()))
  if (field !== undefined)
    throw invalidField(
      `${DEFINITION}.${field.path.join('.')}.path`,
      'must have a path without an index other than [0] and [-1]: several values have an order only in a term with "@container": "@list"',
    )
}

/** Members with an order in any contexts. */
const KEYWORDS: OrderedNames = {
  lists: new Set(['@context', '@type', 'type', '@list']),
  literals: new Set(['@value']),
}

/** Those of terms that contexts define, also within types and properties. */
const orderedNames = (documents: readonly ContextDocument[]): OrderedNames => {
  const lists = new Set(KEYWORDS.lists)
  const literals = new Set(KEYWORDS.literals)
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
