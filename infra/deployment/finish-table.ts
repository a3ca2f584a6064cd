/** What a deployment does with the table when the stack is there. */
import { DescribeTableCommand, DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { ensureLayout } from '../layout.ts'
import type { ClientConfig } from '../service.ts'

/**
 * Writes the version of its layout to a new table, and switches deletion protection on or off: a table that is protected
 * from the first would block its own rollback. Returns a line if the protection has changed. Throws for a table of
 * another layout.
 */
export const finishTable = async (
  config: ClientConfig,
  TableName: string,
  isProtected: boolean,
): Promise<string | undefined> => {
  const dynamodb = new DynamoDBClient(config)
  const flaw = await ensureLayout(dynamodb, TableName)
  if (flaw !== undefined) throw new Error(`the table ${TableName} ${flaw}`)
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }))
  if ((Table?.DeletionProtectionEnabled ?? false) === isProtected) return undefined
  await dynamodb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: isProtected }))
  return `The table ${TableName} is ${isProtected ? '' : 'no longer '}protected against deletion`
}
