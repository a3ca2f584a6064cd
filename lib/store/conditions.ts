/**
 * Conditions and changes of writes, as DynamoDB's expressions. Names are always escaped: many common words are
 * reserved.
 */
import { integerAttribute } from './item-fields.ts'
import type { AttributeValue, Item } from './table.ts'

/** Requirements on the stored item. All parts must hold; an empty condition always holds. */
export interface Condition {
  equals?: Item
  /** Attributes that the item does not have. `pk`: there is no item. */
  absent?: readonly string[]
  present?: readonly string[]
  /** Attributes that exist and are less than these. */
  below?: Item
  /** Attributes that exist and are at most these. */
  atMost?: Item
  /** Texts that the attributes begin with. */
  beginsWith?: Item
  /** At least one of these holds. None of them may be empty. */
  anyOf?: readonly Condition[] | undefined
}

/** What an update does to an item. */
export interface ItemChange {
  set?: Item
  /** Names of attributes. */
  remove?: readonly string[]
  /** Numbers to add; a missing attribute counts as 0. */
  add?: Readonly<Record<string, number>>
}

interface Expressions {
  ConditionExpression: string | undefined
  UpdateExpression: string | undefined
  ExpressionAttributeNames: Record<string, string> | undefined
  ExpressionAttributeValues: Item | undefined
}

/** The parameters of a write for its condition and change. DynamoDB rejects empty ones. */
export const expressionsOf = (condition: Condition = {}, change: ItemChange = {}): Expressions => {
  const names = new Map<string, string>()
  const values: Item = {}
  const name = (attribute: string): string => {
    const known = names.get(attribute) ?? `#${names.size}`
    names.set(attribute, known)
    return known
  }
  const value = (attribute: AttributeValue): string => {
    const placeholder = `:${Object.keys(values).length}`
    values[placeholder] = attribute
    return placeholder
  }
  const compare = (attributes: Item | undefined, operator: string): string[] =>
    Object.entries(attributes ?? {}).map(([key, expected]) => `${name(key)} ${operator} ${value(expected)}`)
  const terms = ({ equals, absent = [], present = [], below, atMost, beginsWith = {}, anyOf }: Condition): string[] => [
    ...compare(equals, '='),
    ...absent.map((key) => `attribute_not_exists(${name(key)})`),
    ...present.map((key) => `attribute_exists(${name(key)})`),
    ...compare(below, '<'),
    ...compare(atMost, '<='),
    ...Object.entries(beginsWith).map(([key, prefix]) => `begins_with(${name(key)}, ${value(prefix)})`),
    ...(anyOf === undefined ? [] : anyOfTerms(anyOf.map(terms))),
  ]

  const ConditionExpression = terms(condition).join(' AND ')
  const UpdateExpression = [
    clause('SET', compare(change.set, '=')),
    clause('REMOVE', (change.remove ?? []).map(name)),
    clause(
      'ADD',
      Object.entries(change.add ?? {}).map(([key, number]) => `${name(key)} ${value(integerAttribute(number))}`),
    ),
  ].join('')
  return {
    ConditionExpression: ConditionExpression || undefined,
    UpdateExpression: UpdateExpression || undefined,
    ExpressionAttributeNames:
      names.size === 0 ? undefined : Object.fromEntries([...names].map(([key, placeholder]) => [placeholder, key])),
    ExpressionAttributeValues: Object.keys(values).length === 0 ? undefined : values,
  }
}

const clause = (keyword: string, parts: string[]): string =>
  parts.length === 0 ? '' : ` ${keyword} ${parts.join(', ')}`

/** Joins alternatives as terms of an AND. DynamoDB rejects redundant parentheses. */
const anyOfTerms = (parts: string[][]): string[] => {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  return [`(${parts.map((part) => (part.length === 1 ? part[0] : `(${part.join(' AND ')})`)).join(' OR ')})`]
}
