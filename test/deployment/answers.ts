/** Invocations of deployed functions within their deployed roles: requests as API Gateway hands them over, and batches as Lambda does. */
import { strict as assert } from 'node:assert'
import * as v from 'valibot'
import { type Principal, toAuthorizerContext } from '../../lib/auth/principal.ts'
import type { Contract } from '../../lib/interface/contract.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { parametersOf } from '../support/calls/request-line.ts'
import { handlerOf } from '../support/source/operation-functions.ts'
import type { EmulatedAws } from './emulator.ts'
import { answerOf, type DeployedFunction, deployedFunctions } from './functions.ts'
import { RoleProxy } from './role-proxy.ts'

const Answer = v.object({ statusCode: v.number(), body: v.string() })

/** What a request has beside its operation. */
export interface Asked {
  values?: Record<string, string>
  body?: object
  principal?: Partial<Principal>
}

const eventOf = (contract: Contract, { values = {}, body = {}, principal = {} }: Asked): object => {
  const authorizer = toAuthorizerContext({
    ...{ role: 'RestRootAgentWithTenants', organizations: {}, subject: 'operator' },
    expiresAt: Math.floor(Date.now() / 1000) + 3_600,
    ...principal,
  })
  const path = parametersOf(contract).map(({ name }) => [name, values[name] ?? 'nothing'])
  return {
    headers: { 'content-type': 'application/json' },
    pathParameters: Object.fromEntries(path),
    body: contract.method === 'POST' ? JSON.stringify(body) : null,
    requestContext: { extendedRequestId: 'test', authorizer: { principalId: 'test', ...authorizer } },
  }
}

/** The functions of a stack, each restricted to what its role allows. */
export class DeployedStage {
  readonly #aws: EmulatedAws
  readonly #stack: string
  readonly #functions: ReadonlyMap<string, DeployedFunction>
  /** Actions that functions have made, by their keys. */
  readonly made = new Map<string, Set<string>>()

  private constructor(aws: EmulatedAws, stack: string, functions: DeployedFunction[]) {
    this.#aws = aws
    this.#stack = stack
    this.#functions = new Map(functions.map((one) => [one.name, one]))
  }

  static async of(aws: EmulatedAws, stack: string): Promise<DeployedStage> {
    return new DeployedStage(aws, stack, await deployedFunctions(aws, stack))
  }

  get functions(): Iterable<DeployedFunction> {
    return this.#functions.values()
  }

  /** Rejects where the role denied a request, however the function handled that. */
  async invoke(functionKey: string, event: object): Promise<unknown> {
    const one = this.#functions.get(`${this.#stack}-${functionKey}`)
    assert.ok(one, `${functionKey} is not deployed`)
    await using proxy = await RoleProxy.of(this.#aws, one)
    const answer = await answerOf(one, event, proxy.environment)
    assert.deepEqual(proxy.denials, [], `the role of ${functionKey} does not allow what it does`)
    this.made.set(functionKey, new Set([...(this.made.get(functionKey) ?? []), ...proxy.made]))
    return answer
  }

  async ask(operationId: string, asked: Asked = {}): Promise<{ statusCode: number; body: string }> {
    const contract = OPERATIONS.find((one) => one.operationId === operationId)
    assert.ok(contract, `there is no operation ${operationId}`)
    return v.parse(Answer, await this.invoke(handlerOf(operationId), eventOf(contract, asked)))
  }

  /** The body of an operation's 2xx. */
  async created(operationId: string, asked: Asked): Promise<Record<string, unknown>> {
    const { statusCode, body } = await this.ask(operationId, asked)
    assert.ok(statusCode < 300, `${operationId}: ${statusCode} ${body}`)
    return JSON.parse(body)
  }
}
