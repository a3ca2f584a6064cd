/** The template's names of the table and the KMS key, which must not be lost. */

/** Logical ids of the table, and of the KMS key that encrypts its data keys. */
export const TABLE = 'Table'
export const SEALING_KEY = 'SealingKey'

/** Outputs with the table's name and the key's ARN. */
export const TABLE_OUTPUT = 'TableName'
export const KEY_OUTPUT = 'SealingKeyArn'
