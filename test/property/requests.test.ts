/** Thousands of unexpected requests, to every operation: each gets an answer of the interface, in time, and does no harm. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { successOf } from '../../lib/interface/contract.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { type Answer, ApiClient } from '../support/api/client.ts'
import type { HttpRequest } from '../support/api/http.ts'
import { type Route, routesOf } from '../support/api/routes.ts'
import { type RunningWorld, startWorld } from '../support/api/world.ts'
import { CallScene } from '../support/calls/call-scene.ts'
import { callOverHttp } from '../support/calls/over-http.ts'
import { FULL } from '../support/depth.ts'
import { requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'
import { type Puppet, startPuppet } from './puppet.ts'
import { requestArbitrary } from './request-arbitrary.ts'

const REQUESTS = FULL ? 10_000 : 1_500
/** Of a full run. */
const SHARE = REQUESTS / 10_000
/** Maximum of concurrent requests. The sizes vary, so that a batch that fails can shrink to the request that fails. */
const BATCH = 8
/** More than enough: batches have 4.5 requests on average. */
const BATCHES = 2_800 * SHARE
/** Seed of reproducible requests; undefined: others each time. */
const SEED = process.env.FAST_CHECK_SEED ?? (FULL ? undefined : 22)
/** Ms, several times the usual duration: shrinking ends then, at whatever step. */
const TIME = 240_000

/** Their work takes a processor seconds, or needs more than a request, or a stage at https: see `generateFrom` in test/support/calls. */
const NEVER_DONE = ['CreateCredentialDefinition', 'RevokeCredential', 'CreateVerifier']

let world: RunningWorld
let api: ApiClient
let puppet: Puppet
let routes: Route[]

beforeAll(async () => {
  world = await startWorld()
  api = await ApiClient.of(world.baseUrl)
  puppet = await startPuppet(api, world.acme)
  routes = await routesOf(world, new CallScene(callOverHttp(api, world), world.wallet, world.acme.tenantId ?? ''))
})
afterAll(async () => {
  await puppet.stop()
  await world.stop()
})

/** Answers by status, and by operation and status. */
const counts = new Map<string, number>()
const count = (name: string | number) => counts.set(String(name), (counts.get(String(name)) ?? 0) + 1)
const counted = (name: string | number): number => counts.get(String(name)) ?? 0

/**
 * Statuses of errors by the id of the request, as far as a function answered: the gateway has no log of its own here, and says no more
 * than what it says of a 401.
 */
const refused = new Map<string, number>()
const isOfFunction = ({ status, body }: Answer): boolean => status === 403 || body?.message !== undefined

/** A plain request, or a message that the puppet is to send. */
type Asked = HttpRequest | { message: unknown }

const send = async (asked: Asked): Promise<void> => {
  const request = 'message' in asked ? await puppet.pack(asked.message) : asked
  // The client holds every answer against the OpenAPI document, and gives up after ten seconds.
  const answer = await api.send(request)
  const { status, operationId = 'none', text } = answer
  expect(status, text).toBeLessThan(500)
  if (status >= 400 && isOfFunction(answer)) refused.set(answer.headers['x-request-id'] ?? '', status)
  for (const name of ['all', status, `${operationId} ${status}`, ...('message' in asked ? [`message ${status}`] : [])])
    count(name)
}

test(
  `${REQUESTS} generated requests get answers of the interface: no 5xx, no hang, no internals`,
  async () => {
    const asked = fc.oneof(
      { weight: 24, arbitrary: requestArbitrary(world, routes) },
      { weight: 1, arbitrary: puppet.messages.map((message) => ({ message })) },
    )
    const property = fc.asyncProperty(
      fc.array<Asked>(asked, { minLength: 1, maxLength: BATCH, size: 'max' }),
      async (batch) => {
        if (counted('all') < REQUESTS) await Promise.all(batch.map(send))
      },
    )
    // On a failure fast-check names its seed and the smallest batch that fails.
    await fc.assert(property, {
      numRuns: BATCHES,
      interruptAfterTimeLimit: TIME,
      markInterruptAsFailure: true,
      ...(SEED !== undefined && { seed: Number(SEED) }),
    })
    expect(counted('all')).toBeGreaterThanOrEqual(REQUESTS)
  },
  TIME + 10_000,
)

test('they were not mere noise: every operation succeeded and failed as it may', () => {
  const atLeast = { 200: 1000, 201: 20, 400: 1000, 401: 800, 403: 50, 404: 700, 409: 1, 413: 40, 415: 40, 422: 800 }
  const few = Object.entries(atLeast).filter(([status, least]) => counted(status) < Math.floor(least * SHARE))
  expect(few.map(([status, least]) => ({ status, least, counted: counted(status) }))).toEqual([])
  for (const success of ['message 200', 'message 400', 'tenant_ReceiveDidcomm 200', 'CreateRequest 200'])
    expect({ success, many: counted(success) >= 5 * SHARE }).toEqual({ success, many: true })
})

/** Fewer requests do not come to each of them; the api layer does. */
const DONE = FULL ? OPERATIONS.filter(({ operationId }) => !NEVER_DONE.includes(operationId)) : []

test.each(DONE)('among them are requests that $operationId has done', (contract) => {
  const { status } = successOf(contract)
  const names = [contract.operationId, `tenant_${contract.operationId}`]
  const done = names.reduce((sum, name) => sum + counted(`${name} ${status}`), 0)
  expect(done).toBeGreaterThan(0)
})

describe('the log', () => {
  const lines = (): Json[] =>
    world
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))

  test('has every error once, with the id of its request', async () => {
    await waitFor('the log to come', () => world.output().includes([...refused.keys()].at(-1) ?? ''))
    const logged = lines().filter(({ requestId }) => requestId !== undefined)
    expect(new Set(logged.map(({ requestId }) => requestId)).size).toBe(logged.length)
    const statuses = new Map(logged.map(({ requestId, status }) => [requestId, status]))
    expect([...refused].filter(([requestId, status]) => statuses.get(requestId) !== status)).toEqual([])
  })

  test('reports no failure of the stage itself', () => {
    expect(lines().filter(({ level }) => level !== 'warn')).toEqual([])
  })

  test('holds no token, no secret and no content of requests', () => {
    const spoken = JSON.stringify(lines())
    for (const secret of [/eyJ[\w-]+\.eyJ/, /whsec_/, /127\.0\.0\.1:1024/, /https:\/\/example\.org\/degree/])
      expect(secret.exec(spoken)?.[0]).toBeUndefined()
  })
})

test('the table is consistent', async () => {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const client = new DynamoDBClient({ endpoint: world.dynamodbEndpoint, region: 'local', credentials })
  expect(await checkTable(client, world.tableName)).toEqual([])
  client.destroy()
})

test('and the stage works as before', async () => {
  const { token } = world.globex
  const { body: request } = await api.post('/proofs/create-request-oob', { token, body: requestBody })
  const wallet = await Wallet.start()
  const { id } = await wallet.connect(request.invitationUrl)
  const connection = await waitFor('the connection to be completed', async () => {
    const { body } = await api.get(`/connections?outOfBandId=${request.outOfBandRecord.id}`, { token })
    return body[0]?.state === 'completed' && body[0]
  })
  await api.post(`/basic-messages/${connection.id}`, { token, body: { content: 'still here' } })
  const message = await waitFor('the message', async () => (await wallet.messages(id))[0])
  expect(message.content).toBe('still here')
  await wallet.stop()

  const { body: puppets } = await api.get(`/connections/${puppet.connectionId}`, { token: world.acme.token })
  expect(puppets.state).toBe('completed')
})
