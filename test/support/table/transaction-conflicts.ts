/**
 * Conflicts of transactions as DynamoDB has them, which the embedded database does not show: two that write the same item at the same time conflict,
 * even without a condition.
 */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Item } from '../../../lib/store/table.ts'
import { withOpenStack } from './open-stack.ts'

/** Addresses of items. */
interface Watched {
  /** Those that two transactions wrote at the same time. */
  conflicting: string[]
  written: string[]
}

interface Input {
  TransactItems?: TransactWriteItem[]
}

const addressOf = ({ Put, Update, Delete }: TransactWriteItem): string => {
  const { pk, sk }: Item = Put?.Item ?? Update?.Key ?? Delete?.Key ?? {}
  return `${pk?.S} ${sk?.S}`
}

const cancelled = (codes: string[]): Error =>
  Object.assign(new Error('cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: codes.map((Code) => ({ Code })),
  })

/** Watches a client whose transactions take until the next ones have begun. */
export class TransactionConflicts {
  readonly #running = new Map<string, number>()
  #toRefuse = 0
  #refused = 0
  #watched: Watched | undefined

  constructor(client: DynamoDBClient) {
    withOpenStack(client).middlewareStack.add(
      (next) => async (parameters) => {
        const { TransactItems } = parameters.input as Input
        return TransactItems === undefined ? next(parameters) : this.#transact(TransactItems, () => next(parameters))
      },
      { step: 'initialize' },
    )
  }

  /** Lets the next transactions conflict with one of another process. */
  refuseNext(times: number): void {
    this.#toRefuse = times
    this.#refused = 0
  }

  refused(): number {
    return this.#refused
  }

  /** Runs `act`. Tells what its transactions have written. */
  async watch(act: () => Promise<void>): Promise<Watched> {
    const watched: Watched = { conflicting: [], written: [] }
    this.#watched = watched
    await act().finally(() => {
      this.#watched = undefined
    })
    return watched
  }

  async #transact<T>(items: TransactWriteItem[], run: () => Promise<T>): Promise<T> {
    if (this.#toRefuse > 0) {
      this.#toRefuse--
      this.#refused++
      throw cancelled(items.map(() => 'TransactionConflict'))
    }
    if (this.#watched === undefined) return run()
    const addresses = items.map(addressOf)
    const taken = addresses.filter((address) => this.#running.has(address))
    this.#watched.conflicting.push(...taken)
    this.#watched.written.push(...addresses)
    if (taken.length > 0)
      throw cancelled(addresses.map((address) => (taken.includes(address) ? 'TransactionConflict' : 'None')))
    for (const address of addresses) this.#running.set(address, 1)
    try {
      return await run()
    } finally {
      for (const address of addresses) this.#running.delete(address)
    }
  }
}
