/** The service itself over HTTP: its health, its description, and unknown routes. */
import { describe, expect, test } from 'vitest'
import { toAuthorizerContext } from '../../lib/auth/principal.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { expectExample } from '../support/api/example.ts'
import { httpTo } from '../support/api/http.ts'
import { acme, api, expectError, tokens, world } from '../support/api/scene.ts'

const PATHS: [string, string][] = [
  ['GET', `/credentials/${acme.credentialRecordId}`],
  ['POST', `/basic-messages/${acme.connectionId}`],
  ['GET', `/multi-tenancy/basic-messages/${acme.connectionId}/${acme.tenantId}`],
  ['POST', '/proofs/create-request-oob'],
  ['GET', `/multi-tenancy/form-data/${acme.tenantId}/${acme.proofRecordId}`],
  ['POST', '/notification/register/webhook-endpoint'],
  ['POST', '/webhooks/orgs/acme/register'],
  ['POST', '/multi-tenancy/create-tenant'],
  ['GET', '/connections'],
  ['GET', `/connections/${acme.connectionId}`],
  ['POST', '/credentials/create-offer'],
  ['POST', '/didcomm'],
  ['POST', `/didcomm/${acme.tenantId}`],
  ['GET', '/openapi.json'],
  ['GET', '/health'],
]

test('GET /health says that it is there, and its version', async () => {
  const answer = await api.get('/health')
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 200,
    body: { status: 'ok', version: packageJson.version },
  })
  await expectExample(answer)
})

test.each(['/health', '/openapi.json'])('GET %s requires no token, and reads none', async (path) => {
  const { status } = await api.get(path, { headers: { authorization: 'Bearer nonsense' } })
  expect(status).toBe(200)
})

describe('an unknown route is a 404, with or without a token', () => {
  test.each([
    '/nothing',
    '/credential',
    '/credentials/a/b',
    '/connections/a/b',
    '/multi-tenancy/basic-messages/a',
    '/webhooks/orgs',
    '/webhooks/orgs/acme/register/more',
    '/Health',
    '/health.json',
    '/..%2Fhealth',
    '/credentials/..%2F..%2Fhealth/x',
    '//health',
    '/favicon.ico',
    '/.env',
    '/@connections',
    '/2015-03-31/functions/health/invocations',
  ])('%s', async (path) => {
    for (const token of [undefined, tokens.root, 'nonsense'])
      for (const method of ['GET', 'POST']) expectError(await api.ask(method, path, { token }), 404)
  })
})

describe('a method that a route does not have is a 404', () => {
  const isOperation = (method: string, path: string) => api.description.operationOf({ method, path }) !== undefined

  test.each(PATHS)('any but %s %s', async (known, path) => {
    expect(isOperation(known, path)).toBe(true)
    // A path may be one of another operation, too, as /credentials/create-offer is.
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'])
      if (!isOperation(method, path))
        expectError(await api.ask(method, path, { token: tokens.root, ...(method !== 'TRACE' && { body: {} }) }), 404)
  })
})

describe('a browser may call every operation', () => {
  const send = httpTo(world.baseUrl)

  test.each(PATHS)('%s %s', async (method, path) => {
    const headers = {
      origin: 'https://app.example',
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    }
    const preflight = await send({ method: 'OPTIONS', path, headers })
    expect(preflight.status).toBeGreaterThanOrEqual(200)
    expect(preflight.status).toBeLessThan(300)
    const allowed = (name: string) => (preflight.headers[`access-control-allow-${name}`] ?? '').toLowerCase()
    expect(['*', 'https://app.example']).toContain(allowed('origin'))
    expect(allowed('methods').toUpperCase().split(/, ?/)).toContain(method)
    for (const header of ['authorization', 'content-type', 'idempotency-key'])
      expect(allowed('headers').split(/, ?/)).toContain(header)

    const answer = await api.ask(method, path, { headers: { origin: 'https://app.example' } })
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
  })
})

test('no caller can set its principal by a header of the local gateway', async () => {
  const root = { role: 'RestRootAgentWithTenants', organizations: {}, subject: 'me', expiresAt: 9_999_999_999 } as const
  const context = { principalId: 'me', ...toAuthorizerContext(root) }
  const headers = { 'sls-offline-authorizer-override': JSON.stringify(context) }
  expectError(await api.get('/connections', { headers }), 401)
  const body = { config: { label: 'Stolen' } }
  expectError(await api.post('/multi-tenancy/create-tenant', { token: acme.token, headers, body }), 403)
})

test('no caller can choose the id of its request in the response and the log', async () => {
  const id = 'c1f4a1a6-6c4b-4b0e-8f3a-2f0c2a6f9d10'
  const headers = { 'x-amzn-requestid': id, 'x-amz-apigw-id': id, 'x-request-id': id }
  // By a function, and by the gateway.
  for (const path of ['/health', '/connections']) {
    const answer = await api.get(path, { headers })
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers['x-request-id']).not.toBe(id)
  }
})

test('a body that is larger than API Gateway takes is a 413', async () => {
  const headers = { 'content-type': 'application/json' }
  expectError(await api.send({ method: 'POST', path: '/didcomm', headers, body: 'x'.repeat(11 * 1024 * 1024) }), 413)
})
