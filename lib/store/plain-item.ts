/** Items in readable form for operators: packed texts are unpacked, sealed bytes stay sealed. */
import { isObject, parseJson } from '../json.ts'
import type { Image } from './item.ts'
import type { Attribute } from './item-fields.ts'
import { unpack } from './packing/packed-text.ts'

/** An item, or its image in the stream, as JSON. JSON texts are parsed; bytes that cannot be unpacked are base64. */
export const plainItem = (item: Image): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, attribute]) => [name, plain(attribute)]))

const plain = ({ S, N, B, BOOL }: Attribute): unknown => {
  if (S !== undefined) return plainText(S)
  if (B === undefined) return N === undefined ? BOOL : Number(N)
  const bytes = typeof B === 'string' ? Buffer.from(B, 'base64') : Buffer.from(B)
  try {
    return plainText(unpack(bytes))
  } catch {
    return bytes.toString('base64')
  }
}

const plainText = (text: string): unknown => {
  const value = parseJson(text)
  return isObject(value) || Array.isArray(value) ? value : text
}
