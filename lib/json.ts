/** JSON values of somebody else, read and told apart. */

export type JsonObject = Record<string, unknown>

/** Whether a value is a JSON object: neither a list nor null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The JSON in base64 or base64url; undefined where there is none. */
export const parseBase64 = (base64: string): unknown => {
  try {
    return JSON.parse(Buffer.from(base64, 'base64').toString())
  } catch {
    return undefined
  }
}
