/** A client of the service that tests put middleware into: it resolves its stack once a command, and would not see what comes later. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

export const withOpenStack = (client: DynamoDBClient): DynamoDBClient => {
  client.config.cacheMiddleware = false
  return client
}
