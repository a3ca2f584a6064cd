/** The deployed template, and its names of the table and the key, which must not be lost. */
import { isObject } from '../service.ts'

/** Logical ids of the table, and of the key that opens what is sealed in it. */
export const TABLE = 'Table'
export const SEALING_KEY = 'SealingKey'

/** Outputs with the table's name and the key's ARN. */
export const TABLE_OUTPUT = 'TableName'
export const KEY_OUTPUT = 'SealingKeyArn'

/** A stack's template; undefined: it is not an object in JSON. */
export const parsedTemplate = ({ template }: { template: string }): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(template)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
