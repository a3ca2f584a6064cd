/** The DynamoDB client of this process, with bounded waits: the SDK has none by default. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { settings } from '../settings.ts'

let client: DynamoDBClient | undefined

/**
 * Steps of each request that this service does not need: there is no logger, the `User-Agent` is for statistics, and Lambda
 * detects recursive loops through SQS, SNS and S3, not through DynamoDB. Without them a read takes a fifth less processor time.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
const UNUSED_MIDDLEWARE = ['loggerMiddleware', 'getUserAgentMiddleware', 'recursionDetectionMiddleware']

const newClient = (): DynamoDBClient => {
  const endpoint = settings().DYNAMODB_ENDPOINT
  const made = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: 3,
    // Nothing is added to the stack of middleware later: resolving it once a command takes 14 µs off each read of 390 (npm run bench -- read).
    cacheMiddleware: true,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: 2_000,
      socketTimeout: 2_000,
      throwOnRequestTimeout: true,
    },
  })
  for (const name of UNUSED_MIDDLEWARE) made.middlewareStack.remove(name)
  return made
}

/**
 * Timeouts: 1 s to connect, 2 s for the headers of the response (`requestTimeout`), 2 s without data. With three attempts, a table that does
 * not answer costs less than a function's timeout.
 * https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/node-configuring-timeouts.html
 */
export const dynamodb = (): DynamoDBClient => {
  client ??= newClient()
  return client
}
