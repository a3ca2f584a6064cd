/**
 * The gateway's part of the authorizer: when it calls the function, how it treats the result, and how long it caches
 * it.
 */
import { describe, expect, test } from 'vitest'
import { tokenAuthorizer } from '../../../infra/local/token-authorizer.ts'

const STAGE = 'arn:aws:execute-api:eu-west-1:000000000000:local/dev'
const METHOD = `${STAGE}/GET/connections/a.b`

const authorizer = { name: 'authorizer', resultTtlInSeconds: 60 }

const statement = (
  Effect: 'Allow' | 'Deny',
  Resource: string | string[],
  Action: string | string[] = 'execute-api:Invoke',
) => ({
  Action,
  Effect,
  Resource,
})

const policy = (...Statement: unknown[]) => ({
  principalId: 'alice',
  policyDocument: { Version: '2012-10-17', Statement },
})

const allowed = { principalId: 'alice', context: {} }

/** An authorizer function that answers so, by a clock of the test; `asked` are its events. */
const start = (answer: unknown | (() => unknown)) => {
  const asked: { name: string; event: unknown }[] = []
  const clock = { now: 0 }
  const invoke = async (name: string, event: unknown) => {
    asked.push({ name, event })
    return typeof answer === 'function' ? answer() : answer
  }
  return { asked, clock, decide: tokenAuthorizer(invoke, () => clock.now) }
}

const thrower = (message: string) => () => {
  throw new Error(message)
}

describe('a request without a token', () => {
  test.each([undefined, ''])('is a 401 without a call of the authorizer (%j)', async (token) => {
    const { decide, asked } = start(policy(statement('Allow', `${STAGE}/*`)))
    expect(await decide(authorizer, token, METHOD)).toBe('UNAUTHORIZED')
    expect(asked).toEqual([])
  })
})

describe('the authorizer', () => {
  test('is asked with the header and the method', async () => {
    const { decide, asked } = start(policy(statement('Allow', `${STAGE}/*`)))
    expect(await decide(authorizer, 'Bearer x', METHOD)).toEqual(allowed)
    expect(asked).toEqual([
      { name: 'authorizer', event: { type: 'TOKEN', authorizationToken: 'Bearer x', methodArn: METHOD } },
    ])
  })

  test('has its context handed on in strings', async () => {
    const context = { role: 'RestRootAgent', expiresAt: 12, root: true }
    const { decide } = start({ ...policy(statement('Allow', METHOD)), context })
    expect(await decide(authorizer, 'x', METHOD)).toEqual({
      principalId: 'alice',
      context: { role: 'RestRootAgent', expiresAt: '12', root: 'true' },
    })
  })

  test('has the key handed on that the caller is counted by', async () => {
    const { decide } = start({ ...policy(statement('Allow', METHOD)), usageIdentifierKey: 'key' })
    expect(await decide(authorizer, 'x', METHOD)).toEqual({ ...allowed, usageIdentifierKey: 'key' })
  })

  test('responds with 401 to the error Unauthorized only', async () => {
    expect(await start(thrower('Unauthorized')).decide(authorizer, 'x', METHOD)).toBe('UNAUTHORIZED')
  })

  test.each(['unauthorized', 'Unauthorized.', 'The key set of the issuer is not available'])(
    'has failed when it throws anything else, which is no 401: %s',
    async (message) => {
      expect(await start(thrower(message)).decide(authorizer, 'x', METHOD)).toBe('AUTHORIZER_FAILURE')
    },
  )

  test.each([
    undefined,
    'yes',
    {},
    { principalId: 'alice' },
    { ...policy(statement('Allow', METHOD)), principalId: '' },
    policy({ Effect: 'Perhaps', Action: '*', Resource: '*' }),
    policy({ Effect: 'Allow', Resource: '*' }),
    { ...policy(statement('Allow', METHOD)), context: { organizations: { acme: ['owner'] } } },
    { ...policy(statement('Allow', METHOD)), context: { tenantId: null } },
  ])('has returned an invalid result: %j', async (answer) => {
    expect(await start(answer).decide(authorizer, 'x', METHOD)).toBe('AUTHORIZER_CONFIGURATION_ERROR')
  })
})

describe('a policy', () => {
  test.each([
    [statement('Allow', METHOD)],
    [statement('Allow', '*')],
    [statement('Allow', `${STAGE}/GET/*`)],
    [statement('Allow', [`${STAGE}/POST/*`, `${STAGE}/GET/connections/?.b`])],
    [statement('Allow', METHOD, ['execute-api:*'])],
    [statement('Deny', `${STAGE}/POST/*`), statement('Allow', METHOD)],
  ])('lets in: %j, %j', async (...statements) => {
    expect(await start(policy(...statements)).decide(authorizer, 'x', METHOD)).toEqual(allowed)
  })

  test.each([
    [],
    [statement('Deny', '*')],
    [statement('Allow', '*'), statement('Deny', METHOD)],
    [statement('Allow', `${STAGE}/POST/*`)],
    [statement('Allow', `${STAGE}/GET/connections/a?`)],
    [statement('Allow', `${STAGE}/GET/connections/a.bc`)],
    [statement('Allow', METHOD, 'execute-api:ManageConnections')],
    // A dot is a dot.
    [statement('Allow', `${STAGE}/GET/connections/a\\.b`)],
    [statement('Allow', `${STAGE}/GET/connections/...`)],
  ])('keeps out: %j, %j', async (...statements) => {
    expect(await start(policy(...statements)).decide(authorizer, 'x', METHOD)).toBe('ACCESS_DENIED')
  })
})

describe('a result', () => {
  test('is kept for as long as serverless.yml says', async () => {
    const { decide, asked, clock } = start(policy(statement('Allow', '*')))
    await decide(authorizer, 'x', METHOD)
    clock.now = 59_999
    await decide(authorizer, 'x', METHOD)
    expect(asked).toHaveLength(1)
    clock.now = 60_000
    await decide(authorizer, 'x', METHOD)
    expect(asked).toHaveLength(2)
  })

  test('is not kept when that is no time', async () => {
    const { decide, asked } = start(policy(statement('Allow', '*')))
    for (let time = 0; time < 2; time++) await decide({ ...authorizer, resultTtlInSeconds: 0 }, 'x', METHOD)
    expect(asked).toHaveLength(2)
  })

  test('is kept for its token only', async () => {
    const { decide, asked } = start(policy(statement('Allow', '*')))
    for (const token of ['x', 'y', 'X']) await decide(authorizer, token, METHOD)
    expect(asked).toHaveLength(3)
  })

  test('is cached for every method, so a policy of one method denies all other ones', async () => {
    const { decide, asked } = start(policy(statement('Allow', METHOD)))
    expect(await decide(authorizer, 'x', METHOD)).toEqual(allowed)
    expect(await decide(authorizer, 'x', `${STAGE}/GET/connections`)).toBe('ACCESS_DENIED')
    expect(asked).toHaveLength(1)
  })

  test.each(['Unauthorized', 'out of order'])('that is an error is not cached: %s', async (message) => {
    const { decide, asked } = start(thrower(message))
    for (let time = 0; time < 2; time++) await decide(authorizer, 'x', METHOD)
    expect(asked).toHaveLength(2)
  })

  test('is dropped after a thousand later ones', async () => {
    const { decide, asked } = start(policy(statement('Allow', '*')))
    for (let token = 0; token <= 1_000; token++) await decide(authorizer, `token ${token}`, METHOD)
    await decide(authorizer, 'token 1', METHOD)
    expect(asked).toHaveLength(1_001)
    await decide(authorizer, 'token 0', METHOD)
    expect(asked).toHaveLength(1_002)
  })
})
