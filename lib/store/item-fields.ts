/** Types of fields in stored items: how a value is written as an attribute, and validated when it is read. */
import * as v from 'valibot'
import { parseJson } from '../json.ts'
import { isDateTime } from '../rfc3339.ts'
import { MismatchError } from './packing/mismatch.ts'
import { pack, unpack } from './packing/packed-text.ts'

/** An attribute of the SDK, or of a stream image, where bytes are base64 text. */
export interface Attribute {
  S?: string | undefined
  N?: string | undefined
  B?: Uint8Array | string | undefined
  BOOL?: boolean | undefined
}

type Written = { S: string } | { N: string } | { B: Uint8Array } | { BOOL: boolean }

export interface Field<T> {
  readonly optional?: boolean
  /** The key attribute that contains the value; absent: the field has its own attribute. */
  readonly from?: 'pk' | 'sk'
  /** Undefined: no attribute. Throws for a value that `read` would reject. */
  write(value: T): Written | undefined
  /** Throws for an attribute of another type or form. The error quotes no content. */
  read(attribute: Attribute): T
}

const textIn = ({ S }: Attribute): string => {
  if (typeof S !== 'string') throw new MismatchError('a text')
  return S
}

export const text = (): Field<string> => ({ write: (S) => ({ S }), read: textIn })

const timeInUtc = (text: string): string => {
  if (!isDateTime(text) || !text.endsWith('Z')) throw new MismatchError('a time in UTC')
  return text
}

/** A time in UTC: ISO 8601 in the form of RFC 3339, with `Z`. */
export const isoTime = (): Field<string> => ({
  write: (text) => ({ S: timeInUtc(text) }),
  read: (attribute) => timeInUtc(textIn(attribute)),
})

const numberIn = ({ N }: Attribute): number => (typeof N === 'string' && N.trim() !== '' ? Number(N) : Number.NaN)

const safeInteger = (value: number): number => {
  if (!Number.isSafeInteger(value)) throw new MismatchError('a whole number')
  return value
}

/** The attribute of a safe integer. Throws for any other number. */
export const integerAttribute = (value: number): { N: string } => ({ N: String(safeInteger(value)) })

/** A safe integer. */
export const integer = (): Field<number> => ({
  write: integerAttribute,
  read: (attribute) => safeInteger(numberIn(attribute)),
})

export const flag = (): Field<boolean> => ({
  write: (BOOL) => ({ BOOL }),
  read: ({ BOOL }) => {
    if (typeof BOOL !== 'boolean') throw new MismatchError('true or false')
    return BOOL
  },
})

export const bytes = (): Field<Uint8Array> => ({
  write: (B) => ({ B }),
  read: ({ B }) => {
    if (typeof B === 'string') return Buffer.from(B, 'base64')
    if (!(B instanceof Uint8Array)) throw new MismatchError('bytes')
    return B
  },
})

/** One of the given texts. */
export const picklist = <const T extends string>(values: readonly T[]): Field<T> => {
  const oneOf = (text: string): T => {
    const value = values.find((one) => one === text)
    if (value === undefined) throw new MismatchError(`one of ${values.join(', ')}`)
    return value
  }
  return { write: (value) => ({ S: oneOf(value) }), read: (attribute) => oneOf(textIn(attribute)) }
}

/** Text of up to 400 KB, stored packed if that is shorter. `write` throws `store.item_too_large`. */
export const packedText = (): Field<string> => ({
  write: (S) => {
    const B = pack(S)
    return B === undefined ? { S } : { B }
  },
  read: (attribute) => (attribute.B === undefined ? textIn(attribute) : unpack(bytes().read(attribute))),
})

/** JSON text, validated by a schema. */
export const json = <const S extends v.GenericSchema>(schema: S): Field<v.InferOutput<S>> => jsonIn(text(), schema)

/** The same, packed. */
export const packed = <const S extends v.GenericSchema>(schema: S): Field<v.InferOutput<S>> =>
  jsonIn(packedText(), schema)

const jsonIn = <const S extends v.GenericSchema>(field: Field<string>, schema: S): Field<v.InferOutput<S>> => ({
  write: (value) => field.write(JSON.stringify(value)),
  read: (attribute) => {
    const value = parseJson(field.read(attribute))
    if (value === undefined) throw new MismatchError('JSON')
    const result = v.safeParse(schema, value, { abortEarly: true })
    if (result.success) return result.output
    const [issue] = result.issues
    throw new MismatchError(issue.expected ?? 'a value of its schema', v.getDotPath(issue) ?? '')
  },
})

/** An optional field. */
export const optional = <T>(field: Field<T>): Field<T> & { readonly optional: true } => ({ ...field, optional: true })

/** A field that is read from the item's key and not stored a second time. */
export const inKey = <T>(part: 'pk' | 'sk', field: Field<T>): Field<T> & { readonly from: 'pk' | 'sk' } => ({
  ...field,
  from: part,
  write: () => undefined,
})

/** The part of a key at an index, between separators. It is not written as an attribute. */
export const keyPart = (key: 'pk' | 'sk', separator: '|' | '#', index: number) =>
  inKey(key, {
    ...text(),
    read: (attribute) => {
      const part = textIn(attribute).split(separator)[index]
      if (!part) throw new MismatchError('a key with this part')
      return part
    },
  })
