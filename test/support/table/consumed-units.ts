/** What DynamoDB says that requests have consumed: read and write request units, which is what a table on demand costs. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { withOpenStack } from './open-stack.ts'

const Consumed = v.object({ CapacityUnits: v.number() })
const Output = v.object({
  ConsumedCapacity: v.pipe(
    v.optional(v.union([Consumed, v.array(Consumed)]), []),
    v.transform((consumed) => [consumed].flat()),
  ),
})

export interface Units {
  /** Of 4 KB, strongly consistent. */
  read: number
  /** Of 1 KB, with those of the index; twice as many in a transaction. */
  write: number
}

const READS = /^(GetItem|BatchGetItem|Query|TransactGetItems)Command$/

/** Watches a client. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConsumedCapacity.html */
export class ConsumedUnits {
  readonly #total: Units = { read: 0, write: 0 }
  readonly #aside = new AsyncLocalStorage<true>()
  readonly #own = new AsyncLocalStorage<Units>()

  constructor(client: DynamoDBClient) {
    withOpenStack(client).middlewareStack.add(
      (next, { commandName }) =>
        async (parameters) => {
          if (this.#aside.getStore() === true) return next(parameters)
          const input = { ...parameters.input, ReturnConsumedCapacity: 'TOTAL' }
          const result = await next({ ...parameters, input })
          const { ConsumedCapacity } = v.parse(Output, result.output)
          const kind = READS.test(String(commandName)) ? 'read' : 'write'
          for (const { CapacityUnits } of ConsumedCapacity)
            for (const units of [this.#total, this.#own.getStore()])
              if (units !== undefined) units[kind] += CapacityUnits
          return result
        },
      { step: 'initialize' },
    )
  }

  /** Runs `act` and tells what all requests have consumed until its end. */
  async during<T>(act: () => Promise<T>): Promise<{ result: T; units: Units }> {
    const before = { ...this.#total }
    const result = await act()
    return { result, units: { read: this.#total.read - before.read, write: this.#total.write - before.write } }
  }

  /** Runs `act` and tells what its own requests have consumed, whatever else goes on. */
  async of<T>(act: () => Promise<T>): Promise<{ result: T; units: Units }> {
    const units: Units = { read: 0, write: 0 }
    return { result: await this.#own.run(units, act), units }
  }

  /** Runs `act`, and counts nothing of it. */
  aside<T>(act: () => Promise<T>): Promise<T> {
    return this.#aside.run(true, act)
  }
}
