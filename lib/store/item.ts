/** Describes a kind of stored item once: its address, its fields, and how they are written and read. */

import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { AgentError, isAgentError } from '../errors.ts'
import type { Owner } from '../records/owners.ts'
import type { Attribute, Field } from './item-fields.ts'
import type { Address } from './keys.ts'
import { MismatchError } from './packing/mismatch.ts'
import { unpackedBytes } from './packing/packed-text.ts'
import { getItem, type Item, toKey } from './table.ts'

type Fields = Readonly<Record<string, Field<unknown>>>
type ValueOf<F> = F extends Field<infer T> ? T : never
type OptionalNames<F extends Fields> = { [K in keyof F]: F[K] extends { optional: true } ? K : never }[keyof F]
type KeyNames<F extends Fields> = { [K in keyof F]: F[K] extends { from: 'pk' | 'sk' } ? K : never }[keyof F]
type Simplify<T> = { [K in keyof T]: T[K] }

/** An item, or its image in the stream. */
export type Image = Readonly<Record<string, Attribute>>

type Value<F extends Fields> = Simplify<
  { [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]> } & {
    [K in OptionalNames<F>]?: ValueOf<F[K]> | undefined
  }
>

/** By types of owners: the partitions with the items of an owner. */
type OwnedPartitions = Readonly<Record<string, (owner: Owner) => readonly string[]>>

/**
 * What an item belongs to, with which it is removed; `shared`: others may use it, and it is removed with the tenant.
 * `parts`: code of its own removes it. `expiry`: it expires within 90 days, or ends with its delivery. `scan`: only a
 * scan of the table finds it. `service`: to no tenant.
 */
export type BelongsTo = OwnedPartitions | { shared: OwnedPartitions } | 'parts' | 'expiry' | 'scan' | 'service'

interface ItemDefinition<Key, F extends Fields> {
  /** Value of the attribute `kind`, which the stream's filters use. */
  kind: string
  belongsTo: BelongsTo
  addressOf(key: Key): Address
  /** Throws `internal` for a value that `decode` would reject, `store.item_too_large` for a packed text over 400 KB. */
  encode(value: Omit<Value<F>, KeyNames<F>> & Key): Item
  /** Encodes some fields without key and kind, for changes and conditions of an update. */
  attributes(fields: Partial<Value<F>>): Item
  /**
   * Decodes an item or a stream image. Throws `internal` if it is of another kind or corrupt. The message quotes no
   * content.
   */
  decode(item: Image): Value<F>
  /** Decodes some fields only: for an index with a projection, or to leave a secret sealed. */
  decodePart<K extends keyof F & string>(item: Image, names: readonly K[]): Pick<Value<F>, K & keyof Value<F>>
  /** Whether an item or a stream image is of this kind. */
  is(image: Image | undefined): boolean
}

/** The decoded type of a definition. */
export type Stored<D extends ReadableItem<never, unknown>> = ReturnType<D['decode']>

/** The part of a definition that reading needs. */
export interface ReadableItem<Key, T> {
  addressOf(key: Key): Address
  decode(item: Image): T
}

/** Reads items: from the table, or in a unit of work, which does not commit after a failed read. */
export interface Reader {
  load<Key, T>(definition: ReadableItem<Key, T>, key: Key): Promise<T | undefined>
}

/** Decodes an item; undefined if it is of another kind or corrupt. */
export const tryDecode = <T>(definition: { decode(item: Image): T }, item: Image): T | undefined => {
  try {
    return definition.decode(item)
  } catch (error) {
    if (isAgentError(error, 'internal')) return undefined
    throw error
  }
}

/**
 * The item with a key; undefined if there is none or it has expired. Throws `store.unavailable`, and `internal` if it
 * is corrupt.
 */
export const readItem = async <Key, T>(definition: ReadableItem<Key, T>, key: Key): Promise<T | undefined> => {
  const item = await getItem(definition.addressOf(key))
  return item && definition.decode(item)
}

/**
 * Defines a kind of item. `address` maps a key to an address. A part of the key that is also a field has the same name
 * in both: `encode` takes one object with key and fields. `belongsTo`: what the item is removed with.
 *
 * @example
 * const tenantItem = defineItem('tenant', ({ id }: { id: string }) => tenantAddress(id), {
 *   id: text(),
 *   label: text(),
 *   createdAt: text(),
 * }, 'parts')
 * unit.create(tenantItem.encode({ id, label, createdAt }))
 * const tenant = await unit.load(tenantItem, { id })
 */
export const defineItem = <Key, F extends Fields>(
  kind: string,
  address: (key: Key) => Address,
  fields: F,
  belongsTo: BelongsTo,
): ItemDefinition<Key, F> => {
  const entries = Object.entries(fields)

  const write = (value: object, into: Item): Item => {
    const values = value as Record<string, unknown>
    for (const [name, field] of entries) {
      const attribute = values[name] === undefined ? undefined : writeField(name, field, values[name])
      if (attribute !== undefined) into[name] = attribute
    }
    return into
  }

  const writeField = (name: string, field: Field<unknown>, value: unknown) => {
    try {
      return field.write(value)
    } catch (cause) {
      if (isAgentError(cause, 'store.item_too_large')) throw cause
      throw new AgentError('internal', `a ${kind} cannot be stored with this ${name}`, { cause })
    }
  }

  const read = (item: Image, chosen: readonly (readonly [string, Field<unknown>])[]): Record<string, unknown> => {
    if (item.kind?.S !== kind) throw corrupt(item, 'kind')
    const value: Record<string, unknown> = {}
    for (const [name, field] of chosen) {
      const attribute = item[field.from ?? name]
      if (attribute !== undefined) value[name] = readField(item, name, field, attribute)
      else if (field.optional !== true) throw corrupt(item, name)
    }
    return value
  }

  const readField = (item: Image, name: string, field: Field<unknown>, attribute: Attribute): unknown => {
    try {
      return field.read(attribute)
    } catch (error) {
      throw corrupt(item, error instanceof MismatchError && error.path !== '' ? `${name}.${error.path}` : name, error)
    }
  }

  const corrupt = ({ pk, sk }: Image, path: string, cause?: unknown): AgentError =>
    new AgentError('internal', `a stored ${kind} is corrupt at ${path}: ${pk?.S} ${sk?.S}`, { cause })

  return {
    kind,
    belongsTo,
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
        entries.filter(([name]) => names.some((one) => one === name)),
      ) as ReturnType<ItemDefinition<Key, F>['decodePart']>,
    is: (image) => image?.kind?.S === kind,
  }
}

/** Maximum size of a number in bytes; the exact rule is about half its digits. */
const NUMBER_BYTES = 21

/**
 * Bytes of an item: names and values in UTF-8. Covers the attribute types that the table has (S, N, B, BOOL).
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export const itemBytes = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0)

const valueBytes = (value: AttributeValue): number => {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.B !== undefined) return value.B.byteLength
  return value.N === undefined ? 1 : NUMBER_BYTES
}

/** The same for an item that was decoded, with its texts unpacked: they may be a thousand times as large. */
export const decodedBytes = (item: Item): number =>
  Object.values(item).reduce(
    (sum, { B }) => (B === undefined ? sum : sum + unpackedBytes(B) - B.byteLength),
    itemBytes(item),
  )
