/** Requests to deployed operations: whoever may do everything asks each of them for something that is not there. */
import * as v from 'valibot'
import { toAuthorizerContext } from '../../lib/auth/principal.ts'
import type { Contract } from '../../lib/interface/contract.ts'
import { parametersOf } from '../support/calls/request-line.ts'
import type { EmulatedAws } from './emulator.ts'
import { answerOf, type DeployedFunction } from './functions.ts'

const Answer = v.object({ statusCode: v.number(), body: v.string() })

const eventOf = (contract: Contract): object => {
  const { method } = contract
  const authorizer = toAuthorizerContext({
    ...{ role: 'RestRootAgentWithTenants', organizations: {}, subject: 'operator' },
    expiresAt: Math.floor(Date.now() / 1000) + 3_600,
  })
  return {
    headers: { 'content-type': 'application/json' },
    pathParameters: Object.fromEntries(parametersOf(contract).map(({ name }) => [name, 'nothing'])),
    body: method === 'POST' ? '{}' : null,
    requestContext: { extendedRequestId: 'test', authorizer: { principalId: 'test', ...authorizer } },
  }
}

/** Why an operation does not answer from its deployed zip; undefined where it says what it should: no 5xx. */
export const answerFailure = async (
  aws: EmulatedAws,
  contract: Contract,
  one: DeployedFunction,
): Promise<string | undefined> => {
  const answer = await answerOf(one, eventOf(contract), aws.environment)
  const { statusCode, body } = v.parse(Answer, answer)
  return statusCode < 500 ? undefined : `${statusCode} ${body}`
}
