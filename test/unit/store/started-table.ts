/** A table for the tests of one file, a view of the requests that the service sends to it, and injected errors. */
import { BatchWriteItemCommand, GetItemCommand, PutItemCommand, paginateScan } from '@aws-sdk/client-dynamodb'
import { dynamodb } from '../../../lib/store/client.ts'
import type { Address } from '../../../lib/store/keys.ts'
import type { Item } from '../../../lib/store/table.ts'
import { toKey } from '../../../lib/store/table.ts'
import { CREDENTIALS, type Dynamo, type DynamoOptions, REGION, startDynamo } from '../../support/table/dynamo.ts'
import { startMemoryDynamo } from '../../support/table/memory-dynamo.ts'
import { withOpenStack } from '../../support/table/open-stack.ts'
import { checkTable } from '../../support/table/table-checker.ts'

export interface TableOptions extends DynamoOptions {
  /** In this process, for what is above lib/store: a request takes a part of the time. */
  memory?: boolean
}

/** Lets a request pass (`send`), or fails in its place. Called at every try of the SDK. */
export type Way = (command: string, send: () => Promise<unknown>) => Promise<unknown>

const BATCH = 25

export class StartedTable {
  /** Requests of the service by name, such as `GetItem`, since the last `watch()`; the SDK's tries are not counted. */
  requests: string[] = []
  /** How many items each TransactWriteItems and PutItem since then was to write. */
  writes: number[] = []
  /** What stands between the service and the table; nothing unless a test says so. */
  way: Way | undefined
  #dynamo: Dynamo | undefined

  get dynamo(): Dynamo {
    if (this.#dynamo === undefined) throw new Error('the table is not started')
    return this.#dynamo
  }

  /** Starts an empty table and lets the service find it: before anything has asked for the settings. */
  async start({ memory = false, ...options }: TableOptions = {}): Promise<this> {
    const dynamo = memory ? startMemoryDynamo() : await startDynamo('agent', options)
    Object.assign(process.env, {
      TABLE_NAME: dynamo.table,
      DYNAMODB_ENDPOINT: dynamo.endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    })
    dynamo.watch(dynamodb())
    this.#dynamo = dynamo
    this.#observe()
    await dynamo.warm(dynamodb())
    return this
  }

  /** Records the service's requests, and puts `way` before the table. */
  #observe(): void {
    const nameOf = (command: string | undefined) => (command ?? '').replace(/Command$/, '')
    withOpenStack(dynamodb()).middlewareStack.add(
      (next, { commandName }) =>
        (input) => {
          this.requests.push(nameOf(commandName))
          if ('TransactItems' in input.input) this.writes.push(input.input.TransactItems?.length ?? 0)
          if (commandName === 'PutItemCommand') this.writes.push(1)
          return next(input)
        },
      { step: 'initialize' },
    )
    withOpenStack(dynamodb()).middlewareStack.add(
      (next, { commandName }) =>
        async (request) => {
          let output: Awaited<ReturnType<typeof next>> | undefined
          const send = async () => {
            output = await next(request)
          }
          await (this.way === undefined ? send() : this.way(nameOf(commandName), send))
          if (output === undefined) throw new Error('the way has let nothing pass and said nothing')
          return output
        },
      { step: 'deserialize', priority: 'low' },
    )
  }

  /** Counts requests from here on. */
  watch(): void {
    this.requests = []
    this.writes = []
  }

  async put(item: Item): Promise<void> {
    await this.dynamo.client.send(new PutItemCommand({ TableName: this.dynamo.table, Item: item }))
  }

  async putAll(items: Item[]): Promise<void> {
    for (let start = 0; start < items.length; start += BATCH) {
      const puts = items.slice(start, start + BATCH).map((Item) => ({ PutRequest: { Item } }))
      await this.dynamo.client.send(new BatchWriteItemCommand({ RequestItems: { [this.dynamo.table]: puts } }))
    }
  }

  async get(address: Address): Promise<Item | undefined> {
    const key = { TableName: this.dynamo.table, Key: toKey(address), ConsistentRead: true }
    return (await this.dynamo.client.send(new GetItemCommand(key))).Item
  }

  /** All items whose partition starts with `prefix`. */
  async items(prefix = ''): Promise<Item[]> {
    const found: Item[] = []
    const { client, table } = this.dynamo
    for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true }))
      found.push(...Items.filter(({ pk }) => pk?.S?.startsWith(prefix)))
    return found
  }

  /** Removes all items. */
  clear(): Promise<void> {
    return this.dynamo.clear()
  }

  check(): Promise<string[]> {
    return checkTable(this.dynamo.client, this.dynamo.table)
  }

  async stop(): Promise<void> {
    dynamodb().destroy()
    await this.dynamo.stop()
  }
}

/** A started table for what has no test file; tests use `useTable`. */
export const startTable = (options: TableOptions = {}): Promise<StartedTable> => new StartedTable().start(options)

/** A failure as the AWS SDK throws it. */
export const failure = (name: string, properties: object = {}): Error =>
  Object.assign(new Error('injected'), { name, ...properties })
