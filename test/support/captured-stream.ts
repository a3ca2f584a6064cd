/**
 * The stream of a table that has none: what the service's client has put into it, in the order of its answers. The embedded
 * DynamoDB goes through the whole stream with every write, so tens of thousands of changes take forever.
 */
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { dynamodb } from '../../lib/store/client.ts'
import type { Item } from '../../lib/store/table.ts'
import { inserted, modified } from './changes.ts'
import type { Dynamo } from './dynamo.ts'
import { withOpenStack } from './open-stack.ts'

export class CapturedStream {
  readonly #kinds: string[]
  /** The last image of each item, by its keys. */
  readonly #images = new Map<string, Item>()
  #records: DynamoDBRecord[] = []

  private constructor(kinds: string[]) {
    this.#kinds = kinds
  }

  /** Turns the table's own stream off and notes changes of items of these kinds. */
  static async of({ client, table }: Dynamo, kinds: string[]): Promise<CapturedStream> {
    await client.send(new UpdateTableCommand({ TableName: table, StreamSpecification: { StreamEnabled: false } }))
    const stream = new CapturedStream(kinds)
    withOpenStack(dynamodb()).middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args)
        const { Item, TransactItems = [] } = args.input as { Item?: Item; TransactItems?: { Put?: { Item?: Item } }[] }
        for (const item of [Item, ...TransactItems.map(({ Put }) => Put?.Item)]) if (item) stream.#note(item)
        return answer
      },
      { step: 'initialize' },
    )
    return stream
  }

  /** The next changes, at most as many as are handed to the relay at once. */
  take(most: number): DynamoDBRecord[] {
    return this.#records.splice(0, most)
  }

  #note(item: Item): void {
    if (!this.#kinds.includes(item.kind?.S ?? '')) return
    const name = `${item.pk?.S} ${item.sk?.S}`
    const before = this.#images.get(name)
    this.#images.set(name, item)
    this.#records.push(before === undefined ? inserted(item) : modified(before, item))
  }
}
