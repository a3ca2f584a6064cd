/** Responds to requests of DynamoDB and its streams, in AWS's JSON protocol, from one table in memory. */
import { isDeepStrictEqual } from 'node:util'
import { awsError, invalid } from './expressions.ts'
import { type Input, KEYS, MemoryTable } from './memory-table.ts'
import { TableStream } from './stream.ts'

interface CreatedTable {
  name: string
  table: MemoryTable
  stream: TableStream
}

/** The tables that a request names. */
const tableNames = ({ TableName, RequestItems, TransactItems }: Input): unknown[] => [
  ...(TableName === undefined ? [] : [TableName]),
  ...Object.keys(RequestItems ?? {}),
  ...((TransactItems ?? []) as Record<string, Input>[]).flatMap((item) =>
    Object.values(item).map((write) => write.TableName),
  ),
]

const arnOf = (name: string): string => `arn:aws:dynamodb:${process.env.AWS_REGION}:000000000000:table/${name}`

const streamArnOf = (name: string): string => `${arnOf(name)}/stream/memory`

export class MemoryDatabase {
  #created: CreatedTable | undefined

  /** Creates the only table. */
  create(name: string): CreatedTable {
    const [table, stream] = [new MemoryTable(), new TableStream()]
    table.onChange = (change) => stream.add(change)
    this.#created = { name, table, stream }
    return this.#created
  }

  /** The response to a request of this target, such as `DynamoDB_20120810.GetItem`, with this JSON. */
  respond = async (target: string, json: string): Promise<{ status: number; body: string }> => {
    try {
      return { status: 200, body: JSON.stringify(await this.#execute(target, JSON.parse(json))) }
    } catch (error) {
      const { name, message, ...properties } = error as Error
      return { status: 400, body: JSON.stringify({ __type: `aws#${name}`, message, ...properties }) }
    }
  }

  async #execute(target: string, input: Input): Promise<object> {
    const [service = '', operation = ''] = target.split('.')
    if (operation === 'CreateTable') return this.#createTable(input)
    const created = this.#created
    if (created === undefined || tableNames(input).some((name) => name !== created.name))
      throw awsError('ResourceNotFoundException', 'Requested resource not found')
    const { name, table, stream } = created
    if (service.startsWith('DynamoDBStreams')) return stream.execute(operation, input, streamArnOf(name))
    if (operation === 'DeleteTable') this.#created = undefined
    if (!/^(Describe|Delete)Table$/.test(operation)) return table.execute(operation, input)
    const Table = { ...KEYS, TableName: name, TableStatus: 'ACTIVE', TableArn: arnOf(name) }
    return { Table: { ...Table, LatestStreamArn: streamArnOf(name) } }
  }

  #createTable({ TableName, KeySchema, GlobalSecondaryIndexes }: Input): object {
    if (this.#created?.name === TableName) throw awsError('ResourceInUseException', `${TableName} exists`)
    if (this.#created !== undefined || !isDeepStrictEqual({ KeySchema, GlobalSecondaryIndexes }, KEYS))
      throw invalid('the database in memory has one table, with the keys and the index of infra/local/memory-table')
    this.create(String(TableName))
    return {}
  }
}
