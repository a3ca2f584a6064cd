/** The rates of an operation and of a tenant, as the local gateway applies them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rateKeyOf } from '../../lib/auth/rate-key.ts'
import { httpTo, type Send } from '../support/api/http.ts'
import { newTenant, type StageTenant } from '../support/stage/party.ts'
import { type RunningStage, startStage } from '../support/stage/stage.ts'
import { waitFor } from '../wallet/wait.ts'

const TENANT_RATE = 5
const OPERATION_RATE = 40

let stage: RunningStage
let send: Send
/** Tokens of two tenants who are counted by separate keys. */
let busy: string
let calm: string

beforeAll(async () => {
  stage = await startStage({ env: { TENANT_RATE: String(TENANT_RATE), OPERATION_RATE: String(OPERATION_RATE) } })
  send = httpTo(stage.baseUrl)
  const first = await newTenant(stage, 'Busy')
  busy = first.token
  const keyOf = ({ tenantId }: StageTenant) => rateKeyOf('rate', tenantId)
  // Tenants share keys: the hash of a tenant's id selects one.
  calm = await waitFor('a tenant with another key', async () => {
    const other = await newTenant(stage, 'Calm')
    return keyOf(other) !== keyOf(first) && other.token
  })
})
afterAll(() => stage.stop())

const connections = (token: string) =>
  send({ method: 'GET', path: '/connections', headers: { authorization: `Bearer ${token}` } })

const health = () => send({ method: 'GET', path: '/health' })

const times = <T>(count: number, act: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, () => act()))

const TOO_MANY = {
  status: 429,
  headers: expect.objectContaining({
    'content-type': 'application/json',
    'retry-after': '1',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'access-control-allow-origin': '*',
  }),
  text: '{"statusCode":429,"error":"Too Many Requests"}',
}

test('requests of a tenant beyond its rate are a 429, and another tenant is not affected', async () => {
  // More than a second's worth, however slowly a busy machine sends them.
  const answers = await times(5 * TENANT_RATE, () => connections(busy))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(TENANT_RATE)
  expect(refused.length).toBeGreaterThan(0)
  for (const answer of refused) expect(answer).toMatchObject(TOO_MANY)
  expect((await connections(calm)).status).toBe(200)
})

test('a moment later the tenant is answered again', async () => {
  const answers = await times(3 * TENANT_RATE, () => connections(busy))
  expect(answers).toContainEqual(expect.objectContaining(TOO_MANY))
  await waitFor('the rate to allow it', async () => (await connections(busy)).status === 200)
})

test('requests to one operation beyond its rate are a 429, and other operations are not affected', async () => {
  // More than a second's worth, however slowly a busy machine sends them.
  const answers = await times(5 * OPERATION_RATE, health)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const answer of refused) expect(answer).toMatchObject(TOO_MANY)
  expect((await connections(calm)).status).toBe(200)
})
