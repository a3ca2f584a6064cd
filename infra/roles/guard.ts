/** Holds functions to their roles where there is no IAM: on the local stage and in tests. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { allPermissionsOf } from '../access/permissions.ts'
import { type CommandInput, callsOf, type Service } from './aws-calls.ts'
import { allows, type Call, type IsAllowed } from './policy.ts'
import { statementsOf } from './statements.ts'

/** An invocation of a function, and what it tried that its role does not allow. */
interface Invocation {
  functionKey: string
  denied: string[]
}

/** The stacks of the SDK's clients have types of their own, which differ in nothing that matters here. */
type Client = Pick<DynamoDBClient, 'middlewareStack'>

/** By the functions' `permissions`. */
export const roleCheck = (permissions: Record<string, string[]>): IsAllowed => {
  const roles = new Map(
    Object.entries(permissions).map(([key, entries]) => [key, statementsOf(allPermissionsOf(entries))]),
  )
  return (functionKey, call) => allows(roles.get(functionKey) ?? [], call)
}

export class RoleGuard {
  readonly #resources: Record<string, string>
  readonly #isAllowed: IsAllowed
  readonly #running = new AsyncLocalStorage<Invocation>()
  /** All calls that were denied, in their order. */
  readonly denials: string[] = []

  /** `resources` has logical ids by the names that functions call tables, queues and keys by. */
  constructor(resources: Record<string, string>, isAllowed: IsAllowed) {
    this.#resources = resources
    this.#isAllowed = isAllowed
  }

  /** The function that the caller runs in; undefined outside of functions. */
  get running(): string | undefined {
    return this.#running.getStore()?.functionKey
  }

  /** Looks at each request of a client, which must not have sent one yet. What is sent outside of functions passes. */
  watch(client: object, service: Service): void {
    const { middlewareStack } = client as Client
    middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) => {
          const invocation = this.#running.getStore()
          if (invocation !== undefined)
            for (const call of callsOf(service, commandName, args.input as CommandInput)) this.#check(invocation, call)
          return next(args)
        },
      { step: 'initialize' },
    )
  }

  /**
   * Runs a function. Rejects where it was denied something, also when it made the best of that: what it sends after
   * its commit may fail without its caller noticing.
   */
  async run<T>(functionKey: string, act: () => Promise<T> | T): Promise<T> {
    const invocation: Invocation = { functionKey, denied: [] }
    const result = await this.#running.run(invocation, act)
    if (invocation.denied.length > 0) throw new Error(invocation.denied.join('; '))
    return result
  }

  #check({ functionKey, denied }: Invocation, { action, resource, context }: Call): void {
    const [, name = '', path = ''] = resource.match(/^(.*?)(\/index\/.*)?$/) ?? []
    const call = { action, resource: `${this.#resources[name] ?? name}${path}`, context }
    if (this.#isAllowed(functionKey, call)) return
    const keys = Object.values(context).flat().join(' ')
    const message = `the role of ${functionKey} does not allow ${action} on ${call.resource} ${keys}: see its permissions in serverless.yml`
    denied.push(message)
    this.denials.push(message)
    throw Object.assign(new Error(message), { name: 'AccessDeniedException', $fault: 'client', $metadata: {} })
  }
}
