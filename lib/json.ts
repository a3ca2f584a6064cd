/** JSON values of somebody else, told apart. */

export type JsonObject = Record<string, unknown>

/** Whether a value is a JSON object: neither a list nor null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
