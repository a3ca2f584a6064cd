/** How large DynamoDB takes an item to be. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Item } from './table.ts'

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
