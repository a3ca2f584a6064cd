/** Canonical JSON (RFC 8785), and the hash that names a resource by its content. */
import { createHash } from 'node:crypto'
import { UNSAFE_NAMES } from '../json.ts'

/** Numbers and texts as JavaScript writes them; names sorted by their UTF-16 code units. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** Rules for JSON of others. These names would be left out of what is hashed and signed, but still be read afterwards. */
export const SIGNED_JSON_RULES = { maxDepth: 16, forbidden: UNSAFE_NAMES }

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
