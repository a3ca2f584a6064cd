/** Describes a kind of stored item once: where it is stored, which fields it has, and how each is written and read. */

import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { AgentError, isAgentError } from '../errors.ts'
import { type Attribute, type Field, Mismatch } from './item-fields.ts'
import type { Address } from './keys.ts'
import { getItem, type Item, toKey } from './table.ts'

type Fields = Readonly<Record<string, Field<unknown>>>
type ValueOf<F> = F extends Field<infer T> ? T : never
type OptionalNames<F extends Fields> = { [K in keyof F]: F[K] extends { optional: true } ? K : never }[keyof F]
type KeyNames<F extends Fields> = { [K in keyof F]: F[K] extends { from: 'pk' | 'sk' } ? K : never }[keyof F]
type Flat<T> = { [K in keyof T]: T[K] }

/** An item, or its image in the stream. */
export type Image = Readonly<Record<string, Attribute>>

type Value<F extends Fields> = Flat<
  { [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]> } & {
    [K in OptionalNames<F>]?: ValueOf<F[K]> | undefined
  }
>

export interface ItemDefinition<Key, F extends Fields> {
  /** Attribute `kind` of its items. Filters of the stream know them by it. */
  kind: string
  addressOf(key: Key): Address
  encode(value: Omit<Value<F>, KeyNames<F>> & Key): Item
  /** Some fields only, without key and kind: for the changes and conditions of an update. */
  attributes(fields: Partial<Value<F>>): Item
  /** Reads an item or a stream image. Throws `internal` where it is of another kind or corrupt; the message quotes no content. */
  decode(item: Image): Value<F>
  /** Reads some fields only: of an index with a projection, or where a secret is to stay closed. */
  decodePart<K extends keyof F & string>(item: Image, names: readonly K[]): Pick<Value<F>, K & keyof Value<F>>
  /** Whether an item or a stream image is of this kind. */
  is(image: Image | undefined): boolean
}

/** What `decode` of a definition returns. */
export type Stored<D extends Readable<never, unknown>> = ReturnType<D['decode']>

/** What it takes to read an item of a description. */
export interface Readable<Key, T> {
  addressOf(key: Key): Address
  decode(item: Image): T
}

/** An item that was read; undefined where it is of another kind or corrupt. */
export const decodeIfSound = <T>(definition: { decode(item: Image): T }, item: Image): T | undefined => {
  try {
    return definition.decode(item)
  } catch (error) {
    if (isAgentError(error, 'internal')) return undefined
    throw error
  }
}

/** The item of a key; undefined where there is none or it has expired. Throws `store.unavailable`, `internal` where it is corrupt. */
export const readItem = async <Key, T>(definition: Readable<Key, T>, key: Key): Promise<T | undefined> => {
  const item = await getItem(definition.addressOf(key))
  return item && definition.decode(item)
}

/**
 * `address` says where the item of a key is. Whatever the key has in common with the value is named there and in `fields`, and
 * given once: `encode` takes one object with both.
 *
 * @example
 * const tenantItem = defineItem('tenant', ({ id }: { id: string }) => tenantAddress(id), { id: text(), label: text(), createdAt: text() })
 * unit.create(tenantItem.encode({ id, label, createdAt }))
 * const tenant = await unit.load(tenantItem, { id })
 */
export const defineItem = <Key, F extends Fields>(
  kind: string,
  address: (key: Key) => Address,
  fields: F,
): ItemDefinition<Key, F> => {
  const entries = Object.entries(fields)

  const write = (value: object, into: Item): Item => {
    const given = value as Record<string, unknown>
    for (const [name, field] of entries) {
      const attribute = given[name] === undefined ? undefined : field.write(given[name])
      if (attribute !== undefined) into[name] = attribute
    }
    return into
  }

  const read = (item: Image, wanted: readonly (readonly [string, Field<unknown>])[]): Record<string, unknown> => {
    if (item.kind?.S !== kind) throw corrupt('kind')
    const value: Record<string, unknown> = {}
    for (const [name, field] of wanted) {
      const attribute = item[field.from ?? name]
      if (attribute !== undefined) value[name] = readField(name, field, attribute)
      else if (field.optional !== true) throw corrupt(name)
    }
    return value
  }

  const readField = (name: string, field: Field<unknown>, attribute: Attribute): unknown => {
    try {
      return field.read(attribute)
    } catch (error) {
      throw corrupt(error instanceof Mismatch && error.path !== '' ? `${name}.${error.path}` : name, error)
    }
  }

  const corrupt = (path: string, cause?: unknown): AgentError =>
    new AgentError('internal', `a stored ${kind} is corrupt at ${path}`, cause === undefined ? {} : { cause })

  return {
    kind,
    addressOf: (key) => {
      const { pk, sk } = address(key)
      return { pk, sk }
    },
    encode: (value) => write(value, { ...toKey(address(value)), kind: { S: kind } }),
    attributes: (some) => write(some, {}),
    decode: (item) => read(item, entries) as Value<F>,
    decodePart: (item, names) =>
      read(
        item,
        entries.filter(([name]) => names.some((wanted) => wanted === name)),
      ) as ReturnType<ItemDefinition<Key, F>['decodePart']>,
    is: (image) => image?.kind?.S === kind,
  }
}

/** A number takes at most 21 bytes; the rule is about half its digits. */
const NUMBER = 21

/**
 * Bytes of an item: names and values in UTF-8. Covers the attribute types that the table has (S, N, B, BOOL).
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export const itemBytes = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0)

const valueBytes = (value: AttributeValue): number => {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.B !== undefined) return value.B.byteLength
  return value.N === undefined ? 1 : NUMBER
}
