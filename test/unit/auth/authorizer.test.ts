import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { rateKeyOf } from '../../../lib/auth/rate-key.ts'
import { BASE_AGENT } from '../../../lib/records/tenant.ts'

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

let authorizer: typeof import('../../../functions/authorizer.ts').authorizer

beforeAll(async () => {
  process.env.TOKEN_ISSUERS = JSON.stringify([
    { issuer: 'local', audience: 'agent', jwks },
    { issuer: 'remote', audience: 'agent', jwksUri: 'http://127.0.0.1:1/jwks' },
  ])
  authorizer = (await import('../../../functions/authorizer.ts')).authorizer
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

  test('names the key that the requests of an agent are counted by, whoever asks for it', async () => {
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

  test('answers a token of a stranger with a 401', async () => {
    await expect(call(await sign({}, 'stranger'))).rejects.toThrow(/^Unauthorized$/)
  })

  test('answers a key set that is not there with anything but a 401', async () => {
    await expect(sign({}, 'remote').then(call)).rejects.toMatchObject({ code: 'auth.keys_unavailable' })
  })
})
