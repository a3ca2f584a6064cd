/** The table in memory behind the service: counts requests, delays them, and rejects those beyond the limits of one key of DynamoDB. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Placeholders } from '../../infra/local/memory-table/expressions.ts'
import type { Input, MemoryTable } from '../../infra/local/memory-table/memory-table.ts'
import type { Item } from '../../lib/store/table.ts'
import { withOpenStack } from '../support/table/open-stack.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html */
const WRITE_UNITS = 1_000
const READ_UNITS = 3_000

/** The SDK's: three tries, 50 ms and 100 ms with full jitter between them. */
const TRIES = 3
const BACKOFF_MS = 50

const REJECTIONS = { fault: 'InternalServerError', rate: 'ProvisionedThroughputExceededException' } as const

interface Units {
  key: string
  units: number
  write: boolean
}

const READS = new Set(['GetItem', 'BatchGetItem', 'Query'])

export interface TableRules {
  random: () => number
  /** How long a request takes, in ms. */
  latency: number
  /** Whether requests fail inside of AWS just now. */
  isFaulty?: (() => boolean) | undefined
  /** Called before a request. Where the process of the request ends, what it returns never settles. */
  ends?: (() => Promise<void> | undefined) | undefined
}

/** The busiest second of each kind of key. */
export interface Peak {
  units: number
  key: string
}

/** A change of attributes in a transaction. */
interface Update extends Placeholders {
  Key: Item
  UpdateExpression: string
}

/** What a request puts into the table, and what it changes there in a transaction. */
export interface Written {
  put: Item[]
  updates: Update[]
}

let standing: TableModel | undefined

export class TableModel {
  requests: Record<string, number> = {}
  throttled = 0
  /** By kind of key. */
  readonly peaks: Record<string, Peak> = {}
  /** Told of what a request has written: what the stream shows of it. */
  onWrite: (written: Written) => void = () => undefined
  readonly #table: MemoryTable
  readonly #clock: VirtualClock
  readonly #rules: TableRules
  #second = 0
  readonly #used = new Map<string, number>()

  constructor(table: MemoryTable, clock: VirtualClock, rules: TableRules) {
    this.#table = table
    this.#clock = clock
    this.#rules = rules
  }

  get total(): number {
    return Object.values(this.requests).reduce((sum, count) => sum + count, 0)
  }

  /** Only the model that did this last stands before the client. */
  standBefore(client: DynamoDBClient): void {
    const isThere = standing !== undefined
    standing = this
    if (isThere) return
    const open = withOpenStack(client)
    open.middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) =>
          standing === undefined
            ? next(args)
            : (standing.#pass(commandName, { ...args.input }) as ReturnType<typeof next>),
      { step: 'initialize', priority: 'high' },
    )
    // Nothing is added from here on, and resolving the stack for each request takes time.
    open.config.cacheMiddleware = true
  }

  /** What a command of the SDK ends with. */
  async #pass(commandName: string, input: Input): Promise<object> {
    await this.#rules.ends?.()
    const name = commandName.replace(/Command$/, '')
    this.requests[name] = (this.requests[name] ?? 0) + 1
    const units = unitsOf(name, input)
    for (let tries = 1, kind = this.#refusal(units); kind !== undefined; tries++, kind = this.#refusal(units)) {
      if (tries === TRIES) throw Object.assign(new Error('model'), { name: REJECTIONS[kind] })
      await this.#clock.sleep(this.#rules.random() * BACKOFF_MS * 2 ** (tries - 1))
    }
    try {
      const answer = () => this.#table.execute(name, input)
      const output = await this.#clock.real(answer, READS.has(name) ? 'read' : 'change')
      this.onWrite(writtenBy(name, input))
      return { response: {}, output: { $metadata: {}, ...output } }
    } finally {
      await this.#clock.sleep(this.#rules.latency)
    }
  }

  #refusal(units: Units[]): 'fault' | 'rate' | undefined {
    if (this.#rules.isFaulty?.()) return 'fault'
    if (this.#take(units)) return undefined
    this.throttled += 1
    return 'rate'
  }

  #take(units: Units[]): boolean {
    const second = Math.floor(this.#clock.now() / 1000)
    if (second !== this.#second) this.#used.clear()
    this.#second = second
    const wanted = units.map(({ key, units: some, write }) => {
      const name = `${write ? 'write' : 'read'} ${key}`
      return { name, key, write, after: (this.#used.get(name) ?? 0) + some }
    })
    for (const { name, key, after } of wanted) {
      const kind = `${name.split(' ')[0]} ${kindOf(key)}`
      if (after > (this.peaks[kind]?.units ?? 0)) this.peaks[kind] = { units: after, key }
    }
    if (wanted.some(({ write, after }) => after > (write ? WRITE_UNITS : READ_UNITS))) return false
    for (const { name, after } of wanted) this.#used.set(name, after)
    return true
  }
}

/** What a key is of: only the fixed words of it. */
const kindOf = (key: string): string => {
  const [first = '', ...rest] = key.split('|')
  const words = rest.filter((part) => /^(waiting|slot|lane|ConnectionRecord|delivery)$/.test(part))
  return [first.startsWith('@') || first === 'due' ? first : 'tenant', ...words].join('|')
}

const writtenBy = (name: string, input: Input): Written => {
  if (name === 'PutItem') return { put: [input.Item as Item], updates: [] }
  if (name !== 'TransactWriteItems') return { put: [], updates: [] }
  const writes = (input.TransactItems ?? []) as { Put?: { Item: Item }; Update?: Update }[]
  return {
    put: writes.flatMap(({ Put }) => (Put === undefined ? [] : [Put.Item])),
    updates: writes.flatMap(({ Update }) => (Update === undefined ? [] : [Update])),
  }
}

const keyOf = (place: unknown): string => (place as { pk?: { S?: string } } | undefined)?.pk?.S ?? ''

const kilobytes = (value: unknown): number => Math.max(1, Math.ceil(JSON.stringify(value ?? '').length / 1024))

/** Units by key, as far as the request shows them: the items of this simulation have less than 1 KB. */
const unitsOf = (name: string, input: Input): Units[] => {
  if (name === 'GetItem') return [{ key: keyOf(input.Key), units: 1, write: false }]
  if (name === 'Query') {
    const values = (input.ExpressionAttributeValues ?? {}) as Record<string, { S?: string }>
    const key = values[':pk']?.S ?? values[':shard']?.S ?? ''
    return [{ key, units: Math.max(1, Math.ceil(Number(input.Limit ?? 1) / 10)), write: false }]
  }
  if (name === 'TransactWriteItems')
    return ((input.TransactItems ?? []) as Record<string, Input>[]).flatMap((item) =>
      Object.values(item).flatMap((write) => writeUnits(write, 2)),
    )
  if (name === 'BatchGetItem')
    return Object.values((input.RequestItems ?? {}) as Record<string, { Keys?: unknown[] }>).flatMap(({ Keys = [] }) =>
      Keys.map((key) => ({ key: keyOf(key), units: 1, write: false })),
    )
  return writeUnits(input, 1)
}

const writeUnits = (write: Input, factor: number): Units[] => {
  const item = write.Item as Input | undefined
  const units = factor * kilobytes(item ?? write.ExpressionAttributeValues)
  const index = /"(due\|\d+)"/.exec(JSON.stringify(item ?? write.ExpressionAttributeValues ?? ''))?.[1]
  return [
    { key: keyOf(write.Key ?? item), units, write: true },
    ...(index === undefined ? [] : [{ key: index, units: 1, write: true }]),
  ]
}
