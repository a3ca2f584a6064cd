/** Clients of the AWS SDK that take less processor time: docs/adr/0039-processor-time.md. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { getSchemaSerdePlugin } from '@smithy/core/schema'

type Request = Parameters<DynamoDBClient['config']['requestHandler']['handle']>[0]

interface Options {
  abortSignal?: AbortSignal | undefined
  /** In ms. Overrides the handler's. */
  requestTimeout?: number
}

/** Middleware that this service does not need: there is no logger, and the `User-Agent` is for statistics. */
const UNUSED_MIDDLEWARE = ['loggerMiddleware', 'getUserAgentMiddleware']

/**
 * Removes middleware that is not needed from a new client. The SDK copies a client's config three times for each
 * request. A copy takes 9 µs while V8 stores the config as a dictionary, 0.1 µs if it was created by a literal.
 */
export const leanClient = <Client extends Pick<DynamoDBClient | SQSClient, 'config' | 'middlewareStack'>>(
  client: Client,
  unused: string[] = [],
): Client => {
  for (const name of [...UNUSED_MIDDLEWARE, ...unused]) client.middlewareStack.remove(name)
  const config = { ...client.config }
  client.middlewareStack.use(getSchemaSerdePlugin(config))
  return Object.assign(client, { config })
}

/** In ms from a request's start, 0: none. Until a new connection is open, and until the whole response is received. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 2_000 }

/** As in the SDK: further requests wait until one of these connections is free. */
const AGENT = { keepAlive: true, maxSockets: 50 }

/**
 * Twice the largest response of DynamoDB, 16 MB of items, since bytes in it are base64.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
 */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024

/** Errors that the SDK's own handler also names timeouts: its retries, and ours (errors.ts), depend on the name. */
const CONNECTION_ERRORS = new Set<unknown>(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])

const withSdkName = (error: Error & { code?: unknown }): Error =>
  CONNECTION_ERRORS.has(error.code) ? Object.assign(error, { name: 'TimeoutError' }) : error

/**
 * Lambda freezes a function between invocations. A broken connection means that the other idle ones are broken too:
 * each would cost one of three attempts.
 */
const closeIdle = ({ freeSockets }: HttpAgent): void => {
  for (const socket of Object.values(freeSockets).flatMap((sockets) => sockets ?? [])) socket.destroy()
}

/**
 * A `requestHandler` in place of the SDK's, which creates a stream for each body, and four timers and a dozen listeners
 * for each request. For DynamoDB and SQS, whose requests have no query string.
 * https://docs.aws.amazon.com/AWSJavaScriptSDK/v3/latest/Package/-smithy-types/Interface/RequestHandler/
 */
export const leanRequestHandler = (overrides: Partial<typeof TIMEOUTS> = {}, options: AgentOptions = {}) => {
  const timeouts = { ...TIMEOUTS, ...overrides }
  const http = new HttpAgent(AGENT)
  const https = new HttpsAgent({ ...AGENT, ...options })

  /** Resolves to a response of any status. Rejects with a `TimeoutError`, an `AbortError`, or an error of Node. */
  const handle = (
    { protocol, hostname: host, port, method, path, headers, body }: Request,
    { abortSignal: signal, requestTimeout = timeouts.requestTimeout }: Options = {},
  ) =>
    new Promise<{ response: { statusCode: number; headers: object; body: Uint8Array } }>((resolve, reject) => {
      const target = { host, ...(port !== undefined && { port }), method, path, headers, signal }
      const request =
        protocol === 'https:' ? requestHttps({ ...target, agent: https }) : requestHttp({ ...target, agent: http })
      const fail = (error: Error): void => {
        clearTimeout(responseTimer)
        if (request.reusedSocket) for (const agent of [http, https]) closeIdle(agent)
        reject(signal?.aborted ? Object.assign(error, { name: 'AbortError' }) : withSdkName(error))
        request.destroy()
      }
      const failAfter = (ms: number, missing: string) => {
        const onTimeout = () => fail(Object.assign(new Error(`no ${missing} within ${ms} ms`), { code: 'ETIMEDOUT' }))
        return ms === 0 ? undefined : setTimeout(onTimeout, ms)
      }
      const responseTimer = failAfter(requestTimeout, 'response')

      request.on('error', fail).on('socket', (socket) => {
        if (!socket.connecting) return
        const connectTimer = failAfter(timeouts.connectionTimeout, 'connection')
        for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(connectTimer))
      })
      request.on('response', (response) => {
        const parts: Buffer[] = []
        let size = 0
        response.on('error', fail).on('data', (part: Buffer) => {
          parts.push(part)
          size += part.length
          if (size > MAX_RESPONSE_BYTES) fail(new Error(`a response has more than ${MAX_RESPONSE_BYTES} bytes`))
        })
        response.on('end', () => {
          clearTimeout(responseTimer)
          const { statusCode = 0, headers } = response
          resolve({ response: { statusCode, headers, body: Buffer.concat(parts, size) } })
        })
      })
      request.end(body)
    })

  return {
    handle,
    httpHandlerConfigs: () => timeouts,
    destroy: () => {
      http.destroy()
      https.destroy()
    },
  }
}
