/** The service made of its zips: each function bundled and in a separate process, over an embedded table, stream and queues. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import type { APIGatewayProxyResult } from 'aws-lambda'
import { startFauxqs } from 'fauxqs'
import { functionsOfServiceFile } from '../../../infra/access/service-file.ts'
import { needsLibrary } from '../../../infra/anoncreds/functions.ts'
import { awsCall } from '../../../infra/local/aws-call.ts'
import { startEventSources } from '../../../infra/local/event-sources.ts'
import type { Created } from '../../../infra/local/resources.ts'
import { exportOf, functionOf } from '../source/operation-functions.ts'
import { HTTPS_URL } from '../stage/at-https.ts'
import type { Json } from '../stage/in-process-stage.ts'
import { CREDENTIALS, REGION, startDynamo } from '../table/dynamo.ts'
import type { UnpackedFunction } from './bundles.ts'
import { type FunctionProcess, startFunction } from './function-process.ts'
import { type GatewayCall, gatewayEvent } from './gateway-event.ts'

/** Those of every deployed function. */
export const NODE_OPTIONS = '--disallow-code-generation-from-strings'

export interface BundledReply {
  status: number
  headers: Record<string, string>
  body: Json
}

export interface BundledStage {
  /** Of every function. */
  environment: Record<string, string>
  /** Calls a function; its process is started by the first call. */
  invoke(name: string, event: unknown): Promise<unknown>
  /** Calls an operation as the gateway does. */
  call(name: string, call?: GatewayCall): Promise<BundledReply>
  /** The last event of each function. */
  events: Map<string, unknown>
  /** Blocks all requests that leave. */
  stopDeliveries(): Promise<void>
  /** Processor time of a function's process so far, in ms. */
  cpuMs(name: string): number
  /** What functions wrote to stderr, by their name. */
  complaints(): Record<string, string>
  stop(): Promise<void>
}

/** JSON is parsed. */
const parsed = ({ headers = {}, body, isBase64Encoded = false }: APIGatewayProxyResult): Json => {
  if (body === '') return undefined
  const isJson = /^application\/json\b/.test(String(headers['content-type'] ?? 'application/json'))
  return isJson && !isBase64Encoded ? JSON.parse(body) : body
}

export const toReply = (result: unknown): BundledReply => {
  const answer = result as APIGatewayProxyResult
  return {
    status: answer.statusCode,
    headers: (answer.headers ?? {}) as Record<string, string>,
    body: parsed(answer),
  }
}

/** Published objects of AnonCreds: the function that serves one, and the parameters of its path. */
const publishedAt = (url: string): { name: string; path: Record<string, string> } | undefined => {
  const [, tenantId = '', file = '', resourceId = ''] =
    /^\/webvh\/([^/]+)\/(did\.jsonl|resources\/([^/]+))$/.exec(url) ?? []
  if (file !== '')
    return resourceId === ''
      ? { name: 'get-webvh-log', path: { tenantId } }
      : { name: 'get-webvh-resource', path: { tenantId, resourceId } }
  const [, hash] = /^\/anoncreds\/tails\/([^/]+)$/.exec(url) ?? []
  return hash === undefined ? undefined : { name: 'get-tails-file', path: { hash } }
}

/** Measurements know when a function runs. */
const withoutSchedules = (functions: ReturnType<typeof functionsOfServiceFile>) =>
  Object.fromEntries(
    Object.entries(functions).map(([key, { events }]) => [
      key,
      { events: events.filter(({ schedule }) => schedule === undefined) },
    ]),
  )

/** Starts everything on free ports of 127.0.0.1. `environment` adds to the functions' settings. */
export const startBundledStage = async (
  functions: Map<string, UnpackedFunction>,
  environment: Record<string, string> = {},
): Promise<BundledStage> => {
  const dynamo = await startDynamo()
  const sqs = await startFauxqs({ port: 0, logger: false })
  const queue = (id: string, name: string, kind: Record<string, string> = {}): Created => {
    const { queueUrl, queueArn } = sqs.createQueue(name, { attributes: { VisibilityTimeout: '30', ...kind } })
    return { id, name, ref: queueUrl, attributes: { Arn: queueArn } }
  }
  const wakeUps = queue('WakeUpQueue', 'wake-ups.fifo', { FifoQueue: 'true' })
  const slowWakeUps = queue('SlowWakeUpQueue', 'slow-wake-ups.fifo', { FifoQueue: 'true' })
  const timers = queue('TimerQueue', 'timers')
  const jobs = queue('JobQueue', 'jobs')
  const removals = queue('RemovalQueue', 'removals')
  const sqsEndpoint = `http://127.0.0.1:${sqs.port}`
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')

  const processes = new Map<string, Promise<FunctionProcess>>()
  const started = new Map<string, FunctionProcess>()
  const processOf = (name: string): Promise<FunctionProcess> => {
    const known = processes.get(name)
    if (known !== undefined) return known
    const { module } = functions.get(name) ?? { module: `no function ${name}` }
    // As /var/task on AWS.
    const library = needsLibrary(name) ? { LIB_ANONCREDS_PATH: dirname(module) } : {}
    // Verifiers and issuers need https. The wallets of these tests use http.
    const address = ['create-verifier', 'create-issuer'].includes(name) ? { PUBLIC_URL: HTTPS_URL } : {}
    const starting = startFunction(module, exportOf(name), { ...stage.environment, ...library, ...address })
    starting.then((running) => started.set(name, running)).catch(() => {})
    processes.set(name, starting)
    return starting
  }

  const stage: BundledStage = {
    environment: {
      TABLE_NAME: dynamo.table,
      DYNAMODB_ENDPOINT: dynamo.endpoint,
      SQS_ENDPOINT: sqsEndpoint,
      WAKE_UP_QUEUE_URL: wakeUps.ref,
      SLOW_WAKE_UP_QUEUE_URL: slowWakeUps.ref,
      TIMER_QUEUE_URL: timers.ref,
      JOB_QUEUE_URL: jobs.ref,
      REMOVAL_QUEUE_URL: removals.ref,
      PUBLIC_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      SEALING_KEY: randomBytes(32).toString('base64url'),
      LOCAL_STAGE: 'true',
      NODE_OPTIONS,
      LOG_LEVEL: 'silent',
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      ...environment,
    },
    events: new Map(),
    invoke: async (name, event) => {
      stage.events.set(name, event)
      return (await processOf(name)).invoke(event)
    },
    call: async (name, call) => toReply(await stage.invoke(name, gatewayEvent(call))),
    cpuMs: (name) => started.get(name)?.cpuMs() ?? 0,
    complaints: () => Object.fromEntries([...started].map(([name, running]) => [name, running.complaints()])),
    stopDeliveries: () => sources.stop(),
    stop: async () => {
      try {
        await sources.stop()
      } finally {
        server.close()
        server.closeAllConnections()
        for (const starting of processes.values()) await (await starting.catch(() => undefined))?.stop()
        await sqs.stop()
        await dynamo.stop()
      }
    },
  }

  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const published = publishedAt(request.url ?? '')
    if (request.method === 'GET' && published !== undefined) {
      const { name, path } = published
      const answer = (await stage.invoke(name, gatewayEvent({ method: 'GET', path }))) as APIGatewayProxyResult
      const body = Buffer.from(answer.body, answer.isBase64Encoded ? 'base64' : 'utf8')
      response.writeHead(answer.statusCode, answer.headers as Record<string, string>).end(body)
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const tenantId = request.url?.match(/^\/didcomm\/(.+)$/)?.[1]
    const { status, headers, body } = await stage.call('receive-didcomm', {
      headers: { 'Content-Type': request.headers['content-type'] ?? '' },
      body: Buffer.concat(chunks).toString(),
      ...(tenantId === undefined ? {} : { path: { tenantId } }),
    })
    // An envelope in an answer is text: its content type is not JSON's.
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, headers).end(body === undefined ? '' : text)
  })

  const { Table } = await dynamo.client.send(new DescribeTableCommand({ TableName: dynamo.table }))
  const table = {
    id: 'Table',
    name: dynamo.table,
    ref: dynamo.table,
    attributes: { StreamArn: Table?.LatestStreamArn ?? '' },
  }
  const sources = startEventSources(
    { functions: withoutSchedules(functionsOfServiceFile()) },
    {
      streams: awsCall(dynamo.endpoint, 'dynamodb', REGION),
      sqs: awsCall(sqsEndpoint, 'sqs', REGION),
      created: [table, wakeUps, slowWakeUps, timers, jobs, removals],
      dataDir: undefined,
      invoke: (key, event) => stage.invoke(functionOf(key), event),
    },
  )
  return stage
}
