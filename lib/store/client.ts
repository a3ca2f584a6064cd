/** The DynamoDB client of this process, with timeouts, which the SDK does not have by default. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { measure } from '../metrics.ts'
import { settings, traceHeader } from '../settings.ts'
import { isTransient } from './faults.ts'

let client: DynamoDBClient | undefined

/**
 * Middleware that this service does not need: there is no logger, the `User-Agent` is for statistics, and Lambda
 * detects recursive loops through SQS, SNS and S3, not through DynamoDB. Without it a read takes a fifth less processor
 * time. https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
const UNUSED_MIDDLEWARE = ['loggerMiddleware', 'getUserAgentMiddleware', 'recursionDetectionMiddleware']

const newClient = (): DynamoDBClient => {
  const endpoint = settings().DYNAMODB_ENDPOINT
  const created = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: 3,
    // No middleware is added later. Resolving the stack for each command would take 14 µs of a read's 390 µs (npm run
    // bench -- read).
    cacheMiddleware: true,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: 2_000,
      socketTimeout: 2_000,
      throwOnRequestTimeout: true,
    },
  })
  for (const name of UNUSED_MIDDLEWARE) created.middlewareStack.remove(name)
  created.middlewareStack.add(
    (next, { commandName }) =>
      (args) =>
        next(args).catch((error: unknown) => {
          if (error instanceof Error && isTransient(error)) {
            const fields = { event: 'store.failed', command: commandName, error: error.name } as const
            measure('warn', 'the table has not answered', fields, { values: { StoreFaults: 1 } })
          }
          throw error
        }),
    { step: 'initialize', priority: 'high', name: 'counted' },
  )
  if (settings().TRACING === 'on') {
    created.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          // Loaded on demand: only tracing needs a socket.
          const { traced } = await import('./trace.ts')
          const { TABLE_NAME: table, AWS_XRAY_DAEMON_ADDRESS: daemon } = settings()
          return traced(commandName.replace(/Command$/, ''), { header: traceHeader(), daemon, table }, () => next(args))
        },
      { step: 'initialize', name: 'traced' },
    )
  }
  return created
}

/**
 * Timeouts: 1 s to connect, 2 s for the headers of the response (`requestTimeout`), 2 s without data. With three
 * attempts, a table that does not answer costs less than a function's timeout.
 * https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/node-configuring-timeouts.html
 */
export const dynamodb = (): DynamoDBClient => {
  client ??= newClient()
  return client
}
