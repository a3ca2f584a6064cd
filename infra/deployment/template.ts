/** Which resources of the template hold what must not be lost, and the outputs that name them. */

/** Ids in the template of what holds the tenants' data, and of the key that opens what is sealed in it. */
export const TABLE = 'Table'
export const SEALING_KEY = 'SealingKey'

/** Outputs that say what AWS knows them by. */
export const TABLE_OUTPUT = 'TableName'
export const KEY_OUTPUT = 'SealingKeyArn'
