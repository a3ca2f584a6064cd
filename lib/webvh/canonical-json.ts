/** JSON in its canonical form (RFC 8785), and the hash that names a resource by its content. */
import { createHash } from 'node:crypto'
import { UNSAFE_NAMES } from '../json.ts'

/** Numbers and texts are written as JavaScript writes them, names are in the order of their UTF-16 code units. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** Rules for JSON of others. The names are left out of what is hashed and signed, and would still be read afterwards. */
export const SIGNED_JSON_RULES = { maxDepth: 16, forbidden: UNSAFE_NAMES }

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
