/** The service in the test's own process: real handlers, table, stream and queue, where a test decides when messages are delivered and what fails. */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import type { Role } from '../../../lib/auth/grants.ts'
import { toAuthorizerContext } from '../../../lib/auth/principal.ts'
import { useLeanTransport } from '../aws/lean-transport.ts'
import { DeliveryLine } from '../delivery/line.ts'
import { type DeliveryQueues, startDeliveryQueues } from '../delivery/queues.ts'
import { rememberApart } from '../delivery/roles.ts'
import { CREDENTIALS, REGION, startDynamo } from '../table/dynamo.ts'
import { startMemoryDynamo } from '../table/memory-dynamo.ts'

/** The name of a handler's export: `getCredentialById`. */
export type OperationName = string

type Handler = (event: APIGatewayProxyEvent, at: Context) => Promise<APIGatewayProxyResult>

/** The handler of an operation, which is the only export of the file that is named after it. */
const handlerOf = async (operation: OperationName): Promise<Handler> => {
  const name = operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const exports: Record<string, Handler> = await import(`../../../functions/${name}.ts`)
  const handler = exports[operation]
  if (handler === undefined) throw new Error(`functions/${name}.ts exports no ${operation}`)
  return handler
}

export interface Caller {
  role?: Role
  tenantId?: string
  organizations?: Record<string, string[]>
}

export interface Call {
  path?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  headers?: Record<string, string>
  /** Whose token; by default a root token with tenants. */
  caller?: Caller
}

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON that each test looks into in its own way
export type Json = any

export interface Reply {
  status: number
  headers: Record<string, string>
  body: Json
}

export interface InProcessStage {
  publicUrl: string
  table: string
  /** The test's own client: no fault is injected into it. */
  client: DynamoDBClient
  /** The client of the service, whose middleware stack takes faults. */
  serviceClient: DynamoDBClient
  line: DeliveryLine
  deadUrls: DeliveryQueues['deadUrls']
  call(operation: OperationName, call?: Call): Promise<Reply>
  /** Called between other agents and the service; a test may deliver an envelope more than once. */
  onEnvelope(deliver: (handle: () => Promise<Reply>) => Promise<Reply>): void
  stop(): Promise<void>
}

/** Documents that other agents read without a token. */
const publicDocument = (url: string): { operation: OperationName; path: Record<string, string> } | undefined => {
  const [, folder = '', first = '', second = '', third = ''] = url.split('/')
  if (folder === 'anoncreds' && first === 'tails') return { operation: 'getTailsFile', path: { hash: second } }
  if (folder === 'web') return { operation: 'getWebDidDocument', path: { tenantId: first } }
  if (folder !== 'webvh') return undefined
  return second === 'did.jsonl'
    ? { operation: 'getWebvhLog', path: { tenantId: first } }
    : { operation: 'getWebvhResource', path: { tenantId: first, resourceId: third } }
}

/** Envelopes are JSON as well. */
const isJson = (contentType = 'application/json'): boolean => /json\b|didcomm|ssi-agent/.test(contentType)

const context = { awsRequestId: 'test', getRemainingTimeInMillis: () => 30_000 } as Context

export interface StageOptions {
  /** Whether the table is in the embedded database, which other processes reach, and which says what requests consume. */
  embedded?: boolean
  /** Whether functions share their caches, as if each had run before: where requests or units are counted. */
  warm?: boolean
}

/** Starts everything on free ports of 127.0.0.1. One for a process: the service reads its settings once. */
export const startInProcessStage = async ({
  embedded = false,
  warm = embedded,
}: StageOptions = {}): Promise<InProcessStage> => {
  const dynamo = embedded ? await startDynamo() : startMemoryDynamo()
  const queues = await startDeliveryQueues()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // While this process works for seconds, it would close a connection that a wallet is about to reuse.
  server.keepAliveTimeout = 0
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  Object.assign(process.env, {
    TABLE_NAME: dynamo.table,
    DYNAMODB_ENDPOINT: dynamo.endpoint,
    PUBLIC_URL: publicUrl,
    SEALING_KEY: randomBytes(32).toString('base64url'),
    LOCAL_STAGE: 'true',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  })
  const { dynamodb } = await import('../../../lib/store/client.ts')
  const { sqs } = await import('../../../lib/outbox/wake-ups/queues.ts')
  dynamo.watch(dynamodb())
  useLeanTransport(sqs())
  const line = await DeliveryLine.start(dynamo, queues)
  if (!warm) await rememberApart(line.guard)
  await dynamo.warm(dynamodb())

  const answerOf = async (operation: OperationName, { path, query, body, headers, caller }: Call = {}) => {
    const handler = await handlerOf(operation)
    const { role = 'RestRootAgentWithTenants', tenantId, organizations = {} } = caller ?? {}
    const event = {
      headers: { 'content-type': 'application/json', ...headers },
      pathParameters: path ?? null,
      queryStringParameters: query ?? null,
      body: typeof body === 'string' || body === undefined ? (body ?? null) : JSON.stringify(body),
      isBase64Encoded: false,
      requestContext: {
        extendedRequestId: randomUUID(),
        authorizer: {
          principalId: 'test',
          ...toAuthorizerContext({
            role: tenantId === undefined ? role : 'RestTenantAgent',
            ...(tenantId !== undefined && { tenantId }),
            organizations,
            subject: 'test',
            expiresAt: Math.floor(Date.now() / 1000) + 3600,
          }),
        },
      },
    }
    const result = await line.guard.run(operation, () => handler(event as unknown as APIGatewayProxyEvent, context))
    const answered = result.headers as Record<string, string>
    const text = Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8')
    return { status: result.statusCode, headers: answered, text }
  }

  const call = async (operation: OperationName, request: Call = {}): Promise<Reply> => {
    const { text, ...reply } = await answerOf(operation, request)
    if (!isJson(reply.headers['content-type'])) return { ...reply, body: text.toString() }
    return { ...reply, body: text.length === 0 ? undefined : JSON.parse(text.toString()) }
  }

  let between: (handle: () => Promise<Reply>) => Promise<Reply> = (handle) => handle()
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const read = publicDocument(request.url ?? '')
    if (read !== undefined) {
      const { status, headers, text } = await answerOf(read.operation, { path: read.path })
      response.writeHead(status, headers).end(text)
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const tenantId = request.url?.match(/^\/didcomm\/(.+)$/)?.[1]
    const headers = { 'content-type': request.headers['content-type'] ?? '' }
    const body = Buffer.concat(chunks).toString()
    const handle = () =>
      call('receiveDidcomm', { headers, body, ...(tenantId === undefined ? {} : { path: { tenantId } }) })
    const reply = await between(handle)
    response.writeHead(reply.status, reply.headers)
    response.end(reply.body === undefined ? '' : JSON.stringify(reply.body))
  })

  return {
    publicUrl,
    table: dynamo.table,
    client: dynamo.client,
    serviceClient: dynamodb(),
    line,
    deadUrls: queues.deadUrls,
    call,
    onEnvelope: (deliver) => {
      between = deliver
    },
    stop: async () => {
      await line.stop()
      server.close()
      server.closeAllConnections()
      await queues.stop()
      await dynamo.stop()
    },
  }
}
