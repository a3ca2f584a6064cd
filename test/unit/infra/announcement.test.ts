/** What the stage says when it is ready. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { announce } from '../../../infra/local/announcement.ts'
import type { TokenClaims } from '../../../infra/local/issuer.ts'
import type { Stage } from '../../../infra/local/stage.ts'
import { ALL_GRANTS } from '../../../lib/auth/grants.ts'

const signed: TokenClaims[] = []

const stage = (remarks: string[]): Stage => ({
  baseUrl: 'http://127.0.0.1:3000',
  issuer: {
    settings: { issuer: 'local', audience: 'agent', jwks: { keys: [] }, grants: ALL_GRANTS },
    sign: async (claims) => {
      signed.push(claims)
      return 'a.root.token'
    },
  },
  environment: {
    DYNAMODB_ENDPOINT: 'http://127.0.0.1:1',
    SQS_ENDPOINT: 'http://127.0.0.1:2',
    TABLE_NAME: 'table',
    WAKE_UP_QUEUE_URL: 'http://127.0.0.1:2/wake-ups.fifo',
    SEALING_KEY: 'sealed-with-this',
  },
  remarks,
  failed: new Promise(() => {}),
  stop: async () => {},
})

const { send } = process
const told = vi.fn()

beforeEach(() => {
  // The test runner may itself have a channel to its parent.
  process.send = told.mockReturnValue(true)
})
afterEach(() => {
  vi.restoreAllMocks()
  told.mockClear()
  signed.length = 0
  if (send === undefined) delete process.send
  else process.send = send
})

const announced = async (remarks: string[] = [], part: Partial<Stage> = {}): Promise<string[]> => {
  const print = vi.spyOn(console, 'log').mockReturnValue()
  await announce({ ...stage(remarks), ...part })
  return print.mock.calls.flat().join('\n').split('\n')
}

test('people get the address, a token, the reference, and three lines to paste', async () => {
  const lines = await announced()
  expect(lines).toEqual([
    'Base URL:   http://127.0.0.1:3000',
    'Root token: a.root.token',
    'Reference:  http://127.0.0.1:3000/docs',
    'curl http://127.0.0.1:3000/health',
    expect.stringMatching(
      /^curl -X POST http:\/\/127\.0\.0\.1:3000\/proofs\/create-request-oob -H 'authorization: Bearer a\.root\.token' -H 'content-type: application\/json' -d '{[^']+}'$/,
    ),
    "curl http://127.0.0.1:3000/connections -H 'authorization: Bearer a.root.token'",
  ])
})

test('with TLS they get the certificate too, which the lines to paste trust', async () => {
  const part = { certificate: "/my data/it's/cert.pem", baseUrl: 'https://localhost:3000' }
  const [first, ...others] = await announced([], part)
  expect(first).toBe("Certificate: /my data/it's/cert.pem (for NODE_EXTRA_CA_CERTS and curl --cacert)")
  const curl = String.raw`curl --cacert '/my data/it'\''s/cert.pem' `
  expect(others.slice(3).every((line) => line.startsWith(curl) && line.includes(` ${part.baseUrl}/`))).toBe(true)
  expect(told.mock.calls).toEqual([[expect.objectContaining(part)]])
})

test('the token may make tenants and act in the base agent, for a day', async () => {
  await announced()
  expect(signed).toEqual([{ role: 'RestRootAgentWithTenants', expires: '1d' }])
})

test('what its user should know comes first', async () => {
  const [first, second] = await announced(['Uses DynamoDB at http://127.0.0.1:8000.'])
  expect(first).toBe('Uses DynamoDB at http://127.0.0.1:8000.')
  expect(second).toMatch(/^Base URL/)
})

test('the program that started it gets all addresses, and no secret but the token', async () => {
  await announced()
  expect(told.mock.calls).toEqual([
    [
      {
        baseUrl: 'http://127.0.0.1:3000',
        rootToken: 'a.root.token',
        dynamodbEndpoint: 'http://127.0.0.1:1',
        sqsEndpoint: 'http://127.0.0.1:2',
        tableName: 'table',
      },
    ],
  ])
})
