/**
 * The table's deletion protection. It is switched on after the first successful deployment, because a protected table
 * blocks its own rollback.
 */
import { DescribeTableCommand, type DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb'

/** Returns whether anything was changed. */
export const protectTable = async (
  dynamodb: DynamoDBClient,
  TableName: string,
  DeletionProtectionEnabled: boolean,
): Promise<boolean> => {
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }))
  if ((Table?.DeletionProtectionEnabled ?? false) === DeletionProtectionEnabled) return false
  await dynamodb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled }))
  return true
}
