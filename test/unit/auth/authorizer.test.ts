import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ALL_GRANTS } from '../../../lib/auth/grants.ts'
import { rateKeyOf } from '../../../lib/auth/rate-key.ts'
import { BASE_AGENT } from '../../../lib/records/tenant.ts'
import { settings } from '../../../lib/settings.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { insertTenant } from '../../../lib/tenants/tenants.ts'
import { failure } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'

const METHOD_ARN = 'arn:aws:execute-api:eu-central-1:123456789012:abcdef/dev/GET/credentials/1'
const { privateKey, publicKey } = await generateKeyPair('EdDSA')
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] }

const sign = (claims: object, issuer = 'local', kid = 'k') =>
  new SignJWT({ role: 'RestTenantAgent', tenantId: 'acme', ...claims })
    .setProtectedHeader({ alg: 'EdDSA', kid })
    .setIssuer(issuer)
    .setAudience('agent')
    .setExpirationTime('1m')
    .sign(privateKey)

const limited = { roles: ['RestTenantAgent', 'RestRootAgent'], tenants: ['acme', 'closed'], organizations: ['acme'] }
process.env.TOKEN_ISSUERS = JSON.stringify([
  { issuer: 'local', audience: 'agent', jwks, grants: ALL_GRANTS },
  { issuer: 'limited', audience: 'agent', jwks, grants: limited },
  { issuer: 'remote', audience: 'agent', jwksUri: 'http://127.0.0.1:1/jwks', grants: ALL_GRANTS },
])
const table = await useTable({ memory: true, check: false })
const authorizer = (await import('../../../functions/authorizer.ts')).authorizer
for (const id of ['acme', 'globex', '__proto__'])
  await transaction(BASE_AGENT, async (unit) =>
    insertTenant(unit, { id, label: id, orgId: id, createdAt: '2026-01-01T00:00:00.000Z' }),
  )
afterEach(() => {
  table.way = undefined
})

const call = (authorizationToken: string) => authorizer({ type: 'TOKEN', authorizationToken, methodArn: METHOD_ARN })

describe('the authorizer', () => {
  test('allows the whole stage, since the gateway caches the policy for every route', async () => {
    const { policyDocument } = await call(`Bearer ${await sign({})}`)
    expect(policyDocument.Statement).toEqual([
      {
        Action: 'execute-api:Invoke',
        Effect: 'Allow',
        Resource: 'arn:aws:execute-api:eu-central-1:123456789012:abcdef/dev/*',
      },
    ])
  })

  test('hands the principal on', async () => {
    const { principalId, context } = await call(
      await sign({ sub: 'alice', resource_access: { o: { roles: ['owner'] } } }),
    )
    expect(principalId).toBe('alice')
    expect(JSON.parse(String(context?.principal))).toEqual({
      role: 'RestTenantAgent',
      tenantId: 'acme',
      organizations: { o: ['owner'] },
      subject: 'alice',
      expiresAt: expect.any(Number),
    })
  })

  test('names tenant and subject for the access log, which does not escape them', async () => {
    const subjectOf = async (sub: string) => (await call(await sign({ sub }))).context?.subject
    expect(await subjectOf('b1c7d3f0-6a51-4b5e-9a55-0d1f6f0c9f11')).toBe('b1c7d3f0-6a51-4b5e-9a55-0d1f6f0c9f11')
    expect(await subjectOf('Zoë","tenant":"globex')).toBe('Zo%C3%AB%22%2C%22tenant%22%3A%22globex')
    expect(await subjectOf('\ud800')).toBe('%EF%BF%BD')
    expect((await call(await sign({ sub: 'alice' }))).context?.tenant).toBe('acme')
  })

  test('names no key, where tenants are not counted', async () => {
    expect(await call(await sign({ sub: 'alice' }))).not.toHaveProperty('usageIdentifierKey')
  })

  test('names the API key of the agent, the same for all its callers', async () => {
    onTestFinished(() => {
      settings().TENANT_RATE = 0
    })
    settings().TENANT_RATE = 100
    const keyOf = async (claims: object) => (await call(await sign(claims))).usageIdentifierKey
    const acme = await keyOf({ sub: 'alice' })
    expect(acme).toBe(rateKeyOf('rate', 'acme'))
    expect(await keyOf({ sub: 'bob' })).toBe(acme)
    expect(await keyOf({ role: 'RestRootAgent', tenantId: undefined })).toBe(rateKeyOf('rate', BASE_AGENT))
  })

  test.each(['', 'Bearer x', 'not a token'])(
    'answers a bad token with the one word that makes a 401: "%s"',
    async (token) => {
      await expect(call(token)).rejects.toThrow(/^Unauthorized$/)
    },
  )

  test('responds to a token of an unknown issuer with a 401', async () => {
    await expect(call(await sign({}, 'stranger'))).rejects.toThrow(/^Unauthorized$/)
  })

  test('asks the table for the tenant, once and for nothing else', async () => {
    table.watch()
    await call(await sign({}))
    expect(table.requests).toEqual(['GetItem'])
  })

  test('asks it nothing for a root token, nor for one that is not valid', async () => {
    table.watch()
    await call(await sign({ role: 'RestRootAgent', tenantId: undefined }))
    await expect(call(await sign({}, 'local', 'unknown'))).rejects.toThrow(/^Unauthorized$/)
    expect(table.requests).toEqual([])
  })

  test.each(['nobody', 'constructor', 'closed'])(
    'answers a token of a tenant that does not exist with a 401: %s',
    async (tenantId) => {
      await expect(call(await sign({ tenantId }))).rejects.toThrow(/^Unauthorized$/)
    },
  )

  test('lets a tenant of any name in that exists', async () => {
    expect((await call(await sign({ tenantId: '__proto__' }))).policyDocument.Statement[0]?.Effect).toBe('Allow')
  })

  test('tells the access log which agent it is for', async () => {
    expect((await call(await sign({}))).context?.tenant).toBe('acme')
    expect((await call(await sign({ role: 'RestRootAgentWithTenants' }))).context?.tenant).toBe(BASE_AGENT)
  })

  test('counts tokens that it could not check, and no rejected one', async () => {
    const lines: Record<string, unknown>[] = []
    const written = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(JSON.parse(line)))
    const { LOG_LEVEL } = settings()
    onTestFinished(() => {
      settings().LOG_LEVEL = LOG_LEVEL
      written.mockRestore()
    })
    settings().LOG_LEVEL = 'error'
    await expect(call('Bearer nonsense')).rejects.toThrow('Unauthorized')
    expect(lines).toEqual([])
    table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
    await expect(call(await sign({}))).rejects.toThrow()
    expect(lines).toMatchObject([{ level: 'error', event: 'authorizer.failed', status: 503, AuthorizerFaults: 1 }])
  })

  test('does not respond with a 401 while DynamoDB is unavailable', async () => {
    table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
    await expect(sign({}).then(call)).rejects.toMatchObject({ code: 'store.unavailable' })
  })

  test.each([
    ['a role', { role: 'RestRootAgentWithTenants', tenantId: undefined }],
    ['a tenant', { tenantId: 'globex' }],
    ['a tenant that does not exist', { tenantId: 'nobody' }],
  ])('denies the whole stage to %s that its issuer may not name, and says nothing of the caller', async (_, claims) => {
    table.watch()
    expect(await call(await sign(claims, 'limited'))).toEqual({
      principalId: 'forbidden',
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Action: 'execute-api:Invoke',
            Effect: 'Deny',
            Resource: 'arn:aws:execute-api:eu-central-1:123456789012:abcdef/dev/*',
          },
        ],
      },
    })
    expect(table.requests).toEqual([])
  })

  test('lets in what its issuer may name, and takes a tenant that is gone for none', async () => {
    const { context } = await call(await sign({}, 'limited'))
    expect(JSON.parse(String(context?.principal))).toMatchObject({ tenantId: 'acme' })
    await expect(call(await sign({ tenantId: 'closed' }, 'limited'))).rejects.toThrow(/^Unauthorized$/)
  })

  test('does not respond with a 401 without a key set', async () => {
    await expect(sign({}, 'remote').then(call)).rejects.toMatchObject({ code: 'auth.keys_unavailable' })
  })
})
