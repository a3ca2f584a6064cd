/** The DynamoDB client of this process, with timeouts, which the SDK does not have by default. */
import { DynamoDBClient, GetItemCommand, type GetItemCommandInput } from '@aws-sdk/client-dynamodb'
import { isUnavailable } from '../errors.ts'
import { measure } from '../metrics.ts'
import { settings, traceHeader } from '../settings.ts'
import { LAYOUT_KEY, LayoutCheck } from './layout.ts'
import { leanClient, leanRequestHandler } from './lean-client.ts'
import { requestSigner } from './request-signer.ts'

let client: DynamoDBClient | undefined

const newClient = (): DynamoDBClient => {
  const endpoint = settings().DYNAMODB_ENDPOINT
  const created: DynamoDBClient = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: 3,
    // No middleware is added later. Resolving the stack for each command would take 14 µs of a read's 390 µs (npm run
    // bench -- read).
    cacheMiddleware: true,
    requestHandler: leanRequestHandler(),
    signer: requestSigner(() => created.config, 'dynamodb'),
  })
  // Lambda detects recursive loops through SQS, SNS and S3, not through DynamoDB:
  // https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
  leanClient(created, ['recursionDetectionMiddleware'])
  checkLayout(created)
  created.middlewareStack.add(
    (next, { commandName }) =>
      (args) =>
        next(args).catch((error: unknown) => {
          if (error instanceof Error && isUnavailable(error)) {
            const fields = { event: 'store.failed', command: commandName, error: error.name } as const
            measure('warn', 'DynamoDB request failed', fields, { values: { StoreFaults: 1 } })
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

const READS = /^(Get|BatchGet|Query|Scan)/

/** Holds back responses and writes until the version of the table's layout is known. */
const checkLayout = (client: DynamoDBClient): void => {
  const layout = new LayoutCheck(async () => (await client.send(new GetItemCommand(layoutRead()))).Item)
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) =>
        (args.input as Partial<GetItemCommandInput>).Key?.pk?.S === LAYOUT_KEY.pk.S
          ? next(args)
          : layout.guard(() => next(args), !READS.test(commandName)),
    { step: 'initialize', priority: 'high', name: 'layout' },
  )
}

const layoutRead = (): GetItemCommandInput => ({
  TableName: settings().TABLE_NAME,
  Key: LAYOUT_KEY,
  ConsistentRead: true,
})

/** Three attempts while DynamoDB is unavailable take less than a function's timeout. */
export const dynamodb = (): DynamoDBClient => {
  client ??= newClient()
  return client
}
