/**
 * API Gateway's part of a Lambda authorizer of type TOKEN: reads the header, caches results, evaluates the policy,
 * passes on the context. serverless-offline's own responds to every failure of the authorizer with 401, without a
 * cache.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html
 */
import * as v from 'valibot'
import { isLike } from '../roles/policy.ts'
import type { TokenAuthorizer } from '../service.ts'
import type { Invoke } from './functions.ts'

type Authorizer = Pick<TokenAuthorizer, 'name' | 'resultTtlInSeconds'>

const oneOrMore = v.union([
  v.pipe(
    v.string(),
    v.transform((one) => [one]),
  ),
  v.array(v.string()),
])

const AuthorizerResult = v.object({
  principalId: v.pipe(v.string(), v.minLength(1)),
  policyDocument: v.object({
    Statement: v.array(v.object({ Action: oneOrMore, Effect: v.picklist(['Allow', 'Deny']), Resource: oneOrMore })),
  }),
  // Functions get strings, whatever types the authorizer returned.
  context: v.optional(
    v.record(v.string(), v.pipe(v.union([v.string(), v.number(), v.boolean()]), v.transform(String))),
    {},
  ),
  // The API key that the request is counted by.
  usageIdentifierKey: v.exactOptional(v.string()),
})

type AuthorizerResult = v.InferOutput<typeof AuthorizerResult>

/** The caller, as the authorizer describes it. */
export type Caller = Omit<AuthorizerResult, 'policyDocument'>

/** The type of the gateway response for a rejected request. */
export type Rejection = 'UNAUTHORIZED' | 'ACCESS_DENIED' | 'AUTHORIZER_FAILURE' | 'AUTHORIZER_CONFIGURATION_ERROR'

const allows = ({ policyDocument }: AuthorizerResult, methodArn: string): boolean => {
  const effects = policyDocument.Statement.filter(
    ({ Action, Resource }) => isLike('execute-api:Invoke', Action) && isLike(methodArn, Resource),
  ).map(({ Effect }) => Effect)
  return effects.includes('Allow') && !effects.includes('Deny')
}

const decide = (result: AuthorizerResult, methodArn: string): Caller | Rejection => {
  const { policyDocument: _, ...caller } = result
  return allows(result, methodArn) ? caller : 'ACCESS_DENIED'
}

/** Maximum number of cached results; the oldest is removed first. */
const MAX_CACHED = 1_000

/**
 * Decides about a token for a method. The authorizer's results are cached for all methods, as long as serverless.yml
 * says.
 */
export const tokenAuthorizer = (invoke: Invoke, now: () => number = Date.now) => {
  const cache = new Map<string, { result: AuthorizerResult; until: number }>()

  const ask = async ({ name }: Authorizer, token: string, methodArn: string): Promise<AuthorizerResult | Rejection> => {
    try {
      const returned = await invoke(name, { type: 'TOKEN', authorizationToken: token, methodArn })
      const result = v.safeParse(AuthorizerResult, returned)
      return result.success ? result.output : 'AUTHORIZER_CONFIGURATION_ERROR'
    } catch (error) {
      return error instanceof Error && error.message === 'Unauthorized' ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE'
    }
  }

  return async (authorizer: Authorizer, token: string | undefined, methodArn: string): Promise<Caller | Rejection> => {
    // Without a token the gateway does not call the authorizer.
    if (token === undefined || token === '') return 'UNAUTHORIZED'
    const key = `${authorizer.name} ${token}`
    const known = cache.get(key)
    if (known !== undefined && known.until > now()) return decide(known.result, methodArn)

    const result = await ask(authorizer, token, methodArn)
    if (typeof result === 'string') return result
    cache.delete(key)
    cache.set(key, { result, until: now() + authorizer.resultTtlInSeconds * 1000 })
    for (const oldest of cache.keys()) {
      if (cache.size <= MAX_CACHED) break
      cache.delete(oldest)
    }
    return decide(result, methodArn)
  }
}
