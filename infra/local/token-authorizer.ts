/**
 * API Gateway's part of a Lambda authorizer of type TOKEN: reads the header, caches answers, evaluates the policy,
 * passes on the context. serverless-offline's own answers every failure of the authorizer with 401, and caches nothing.
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

const Answer = v.object({
  principalId: v.pipe(v.string(), v.minLength(1)),
  policyDocument: v.object({
    Statement: v.array(v.object({ Action: oneOrMore, Effect: v.picklist(['Allow', 'Deny']), Resource: oneOrMore })),
  }),
  // Functions get strings, whatever types the authorizer returned.
  context: v.optional(
    v.record(v.string(), v.pipe(v.union([v.string(), v.number(), v.boolean()]), v.transform(String))),
    {},
  ),
  usageIdentifierKey: v.exactOptional(v.string()),
})

type Answer = v.InferOutput<typeof Answer>

/** The caller, as the authorizer describes it. */
export interface Caller {
  principalId: string
  context: Record<string, string>
  /** The API key that the request is counted by. */
  usageIdentifierKey?: string
}

/** The type of the gateway response for a refused request. */
export type Refusal = 'UNAUTHORIZED' | 'ACCESS_DENIED' | 'AUTHORIZER_FAILURE' | 'AUTHORIZER_CONFIGURATION_ERROR'

const allows = ({ policyDocument }: Answer, methodArn: string): boolean => {
  const effects = policyDocument.Statement.filter(
    ({ Action, Resource }) => isLike('execute-api:Invoke', Action) && isLike(methodArn, Resource),
  ).map(({ Effect }) => Effect)
  return effects.includes('Allow') && !effects.includes('Deny')
}

const decide = (answer: Answer, methodArn: string): Caller | Refusal => {
  const { policyDocument: _, ...caller } = answer
  return allows(answer, methodArn) ? caller : 'ACCESS_DENIED'
}

/** Maximum number of cached answers; the oldest is removed first. */
const KEPT = 1_000

/**
 * Decides about a token for a method. The authorizer's answers are cached for all methods, as long as serverless.yml
 * says.
 */
export const tokenAuthorizer = (invoke: Invoke, now: () => number = Date.now) => {
  const kept = new Map<string, { answer: Answer; until: number }>()

  const ask = async ({ name }: Authorizer, token: string, methodArn: string): Promise<Answer | Refusal> => {
    try {
      const answer = await invoke(name, { type: 'TOKEN', authorizationToken: token, methodArn })
      const result = v.safeParse(Answer, answer)
      return result.success ? result.output : 'AUTHORIZER_CONFIGURATION_ERROR'
    } catch (error) {
      return error instanceof Error && error.message === 'Unauthorized' ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE'
    }
  }

  return async (authorizer: Authorizer, token: string | undefined, methodArn: string): Promise<Caller | Refusal> => {
    // Without a token the gateway does not call the authorizer.
    if (token === undefined || token === '') return 'UNAUTHORIZED'
    const key = `${authorizer.name} ${token}`
    const known = kept.get(key)
    if (known !== undefined && known.until > now()) return decide(known.answer, methodArn)

    const answer = await ask(authorizer, token, methodArn)
    if (typeof answer === 'string') return answer
    kept.delete(key)
    kept.set(key, { answer, until: now() + authorizer.resultTtlInSeconds * 1000 })
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT) break
      kept.delete(oldest)
    }
    return decide(answer, methodArn)
  }
}
