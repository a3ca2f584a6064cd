/** Faults of DynamoDB, injected into the service's own client at the n-th request of one operation. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { withOpenStack } from './open-stack.ts'

export interface Fault {
  /** Name of the SDK's error. */
  name: string
  /** The request did its work, only its answer is lost. */
  worked: boolean
}

/** How a request fails: it is refused, its answer does not come, or it worked and its answer does not come. */
export const FAULTS: Record<string, Fault> = {
  'is throttled': { name: 'ProvisionedThroughputExceededException', worked: false },
  'fails inside of AWS': { name: 'InternalServerError', worked: false },
  'times out': { name: 'TimeoutError', worked: false },
  'times out after it worked': { name: 'TimeoutError', worked: true },
}

interface Run {
  /** Commands of the requests made so far. */
  commands: string[]
  fault?: { at: number; kind: Fault; struck: boolean } | undefined
}

const isRead = (command: string): boolean => /^(Get|BatchGet|Query|Scan)/.test(command)

/** Whether the last request so far is to fail. Of a read it makes no difference whether it worked: only writes count then. */
const isStruck = ({ commands, fault }: Run): boolean => {
  if (fault === undefined || fault.struck) return false
  return (fault.kind.worked ? commands.filter((command) => !isRead(command)) : commands).length === fault.at
}

/** Watches a client. The SDK's own retries are below this: a fault here is one that they could not mend. */
export class StoreFaults {
  readonly #runs = new AsyncLocalStorage<Run>()
  /** Commands of all requests ever made. */
  readonly commands: string[] = []

  constructor(client: DynamoDBClient) {
    withOpenStack(client).middlewareStack.add(
      (next, { commandName }) =>
        async (parameters) => {
          this.commands.push(String(commandName))
          const run = this.#runs.getStore()
          run?.commands.push(String(commandName))
          if (run?.fault === undefined || !isStruck(run)) return next(parameters)
          run.fault.struck = true
          const { name, worked } = run.fault.kind
          if (worked) await next(parameters)
          throw Object.assign(new Error('injected'), { name })
        },
      { step: 'initialize' },
    )
  }

  /** Runs `act` and tells the commands of its requests. */
  async count<T>(act: () => Promise<T>): Promise<{ result: T; commands: string[] }> {
    const run: Run = { commands: [] }
    return { result: await this.#runs.run(run, act), commands: run.commands }
  }

  /** Runs `act` with a fault at its request, or write, number `at`, from 1. Tells whether there was such a one. */
  async inject<T>(at: number, kind: Fault, act: () => Promise<T>): Promise<{ result: T; injected: boolean }> {
    const fault = { at, kind, struck: false }
    const result = await this.#runs.run({ commands: [], fault }, act)
    return { result, injected: fault.struck }
  }

  /** Runs `act` with a fault at its first request, again with one at its second, and so on until it gets through: all others are a 503. */
  async untilNoneIsLeft<T extends { status: number }>(kind: Fault, act: () => Promise<T>): Promise<T> {
    for (let at = 1; ; at++) {
      const { result, injected } = await this.inject(at, kind, act)
      if (!injected || result.status === 200) return result
      if (result.status !== 503) throw new Error(`with a fault at request ${at} it is a ${result.status}`)
    }
  }
}
