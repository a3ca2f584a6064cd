/** The fields that stored items are made of: how a value is written as an attribute, and read again behind a check. */
import * as v from 'valibot'
import { isDateTime } from '../rfc3339.ts'

/** An attribute as the SDK gives it, or as it is in a stream image: Lambda gives bytes as base64 there. */
export interface Attribute {
  S?: string | undefined
  N?: string | undefined
  B?: Uint8Array | string | undefined
  BOOL?: boolean | undefined
}

type Written = { S: string } | { N: string } | { B: Uint8Array } | { BOOL: boolean }

export interface Field<T> {
  readonly optional?: boolean
  /** The attribute that it is read from, where that is not its own name. */
  readonly from?: 'pk' | 'sk'
  /** Undefined: it is not written as an attribute of its own. */
  write(value: T): Written | undefined
  /** Throws where the attribute holds something else. The error quotes nothing of it. */
  read(attribute: Attribute): T
}

/** An attribute that is not what its field says. `path`: dotted, to the place within the field. */
export class Mismatch extends Error {
  readonly path: string

  constructor(expected: string, path = '') {
    super(`expected ${expected}`)
    this.path = path
  }
}

const textIn = ({ S }: Attribute): string => {
  if (typeof S !== 'string') throw new Mismatch('a text')
  return S
}

export const text = (): Field<string> => ({ write: (S) => ({ S }), read: textIn })

/** A time in UTC: ISO 8601, as RFC 3339 has it, with `Z`. */
export const isoTime = (): Field<string> => ({
  write: (S) => ({ S }),
  read: (attribute) => {
    const found = textIn(attribute)
    if (!isDateTime(found) || !found.endsWith('Z')) throw new Mismatch('a time in UTC')
    return found
  },
})

/** A whole number that JavaScript holds exactly. */
export const integer = (): Field<number> => ({
  write: (value) => ({ N: String(value) }),
  read: ({ N }) => {
    const value = typeof N === 'string' && N.trim() !== '' ? Number(N) : Number.NaN
    if (!Number.isSafeInteger(value)) throw new Mismatch('a whole number')
    return value
  },
})

export const flag = (): Field<boolean> => ({
  write: (BOOL) => ({ BOOL }),
  read: ({ BOOL }) => {
    if (typeof BOOL !== 'boolean') throw new Mismatch('true or false')
    return BOOL
  },
})

export const bytes = (): Field<Uint8Array> => ({
  write: (B) => ({ B }),
  read: ({ B }) => {
    if (typeof B === 'string') return Buffer.from(B, 'base64')
    if (!(B instanceof Uint8Array)) throw new Mismatch('bytes')
    return B
  },
})

/** One of some texts. */
export const picklist = <const T extends string>(values: readonly T[]): Field<T> => ({
  write: (S) => ({ S }),
  read: (attribute) => {
    const found = textIn(attribute)
    const value = values.find((one) => one === found)
    if (value === undefined) throw new Mismatch(`one of ${values.join(', ')}`)
    return value
  },
})

/** JSON text of what a schema takes. */
export const json = <const S extends v.GenericSchema>(schema: S): Field<v.InferOutput<S>> => ({
  write: (value) => ({ S: JSON.stringify(value) }),
  read: (attribute) => {
    const result = v.safeParse(schema, parsed(textIn(attribute)), { abortEarly: true })
    if (result.success) return result.output
    const [issue] = result.issues
    throw new Mismatch(issue.expected ?? 'what its schema says', v.getDotPath(issue) ?? '')
  },
})

/** A syntax error of JSON.parse quotes the text, so it is no cause. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Mismatch('JSON')
  }
}

/** A field that may be missing. */
export const optional = <T>(field: Field<T>): Field<T> & { readonly optional: true } => ({ ...field, optional: true })

/** A field that is read out of a part of the item's key and not stored a second time. */
export const inKey = <T>(part: 'pk' | 'sk', field: Field<T>): Field<T> & { readonly from: 'pk' | 'sk' } => ({
  ...field,
  from: part,
  write: () => undefined,
})
