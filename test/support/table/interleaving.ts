/** Two operations at once: one stands still before its n-th request to the table while the other one runs to its end. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { withOpenStack } from './open-stack.ts'

interface Run {
  /** Requests until the other one runs, the last one included. */
  left: number
  between: () => Promise<unknown>
}

/** Watches a client. */
export class Interleaving {
  readonly #runs = new AsyncLocalStorage<Run>()

  constructor(client: DynamoDBClient) {
    withOpenStack(client).middlewareStack.add(
      (next) => async (parameters) => {
        const run = this.#runs.getStore()
        if (run !== undefined && --run.left === 0) await this.#runs.exit(run.between)
        return next(parameters)
      },
      { step: 'initialize' },
    )
  }

  /** Runs `act`, and `between` before its request number `at`, from 1. Tells whether there was such a one. */
  async run<T>(at: number, act: () => Promise<T>, between: Run['between']): Promise<{ result: T; isMet: boolean }> {
    const run = { left: at, between }
    const result = await this.#runs.run(run, act)
    return { result, isMet: run.left <= 0 }
  }
}
