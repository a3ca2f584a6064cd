/** The last step of a deployment, for the table. */
import { DescribeTableCommand, DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { ensureLayout } from '../layout.ts'
import type { ClientConfig } from '../service.ts'

/**
 * Writes the layout version to a new table, and switches deletion protection on or off: a table that is protected from
 * its creation would block a rollback. Returns a line if the protection has changed. Throws for a table of another
 * layout version.
 */
export const finishTable = async (
  config: ClientConfig,
  TableName: string,
  isProtected: boolean,
): Promise<string | undefined> => {
  const dynamodb = new DynamoDBClient(config)
  const mismatch = await ensureLayout(dynamodb, TableName)
  if (mismatch !== undefined) throw new Error(`the table ${TableName} ${mismatch}`)
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }))
  if ((Table?.DeletionProtectionEnabled ?? false) === isProtected) return undefined
  await dynamodb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: isProtected }))
  return `The table ${TableName} is ${isProtected ? '' : 'no longer '}protected against deletion`
}
