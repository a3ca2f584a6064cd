/** What a write costs the embedded database as its table and its stream grow. */
import { randomUUID } from 'node:crypto'
import { DescribeTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { awsCall } from '../../infra/local/aws-call.ts'
import { streamRecords } from '../../infra/local/stream-records.ts'
import { rounded } from '../support/bench/quantile.ts'
import { type Cell, printTable } from '../support/bench/table.ts'
import { cpuMs, embeddedDatabases } from '../support/stage/processes.ts'
import { type Dynamo, REGION, startDynamo } from '../support/table/dynamo.ts'

const OPERATIONS = 50_000
const WINDOW = 1_000
const SHOWN_EVERY = 10_000
/** Writes between two reads of the stream. */
const BATCH = 100
const IN_FLIGHT = 4
const ITEM_BYTES = 500

const TARGET_PERCENT = 20

/**
 * Puts a new item. Not in a transaction: for each, dynoxide goes through the `ClientRequestToken`s of all transactions
 * of the last ten minutes, 60 ns a token. That grows with their rate, not with the table, and has no remedy outside
 * dynoxide.
 */
const write = ({ client, table }: Dynamo): Promise<unknown> =>
  client.send(
    new PutItemCommand({
      TableName: table,
      Item: { pk: { S: randomUUID() }, sk: { S: 'item' }, body: { S: 'x'.repeat(ITEM_BYTES) } },
    }),
  )

const writeBatch = async (dynamo: Dynamo): Promise<void> => {
  let left = BATCH
  const writer = async () => {
    while (left-- > 0) await write(dynamo)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, writer))
}

/** Reads as many records of the stream as were written, as the local stage does. */
const streamReader = async ({ endpoint, table, client }: Dynamo): Promise<() => Promise<void>> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }))
  const { signal } = new AbortController()
  const reading = { streams: awsCall(endpoint, 'dynamodb', REGION), streamArn: Table?.LatestStreamArn ?? '' }
  const batches = streamRecords({ ...reading, batchSize: BATCH, signal }, undefined)
  return async () => {
    for (let left = BATCH; left > 0; ) left -= (await batches.next()).value?.records.length ?? left
  }
}

interface Written {
  /** Processor time that the database took for a batch of new items, in ms. */
  batch(): Promise<number>
  stop(): Promise<void>
}

const startEmpty = async (): Promise<Written> => {
  const dynamo = await startDynamo()
  const { port } = new URL(dynamo.endpoint)
  const { pid = 0 } = embeddedDatabases().find(({ command }) => command.includes(`--port ${port} `)) ?? {}
  const read = await streamReader(dynamo)
  const batch = async () => {
    const before = cpuMs(pid)
    await writeBatch(dynamo)
    await read()
    return cpuMs(pid) - before
  }
  return { batch, stop: dynamo.stop }
}

/**
 * CPU ms of a write in each of the databases, over a window of batches in turns: what slows the machine down slows all
 * of them down.
 */
const measureWindow = async (...databases: Written[]): Promise<number[]> => {
  const sums = databases.map(() => 0)
  for (let batch = 0; batch < WINDOW / BATCH; batch++)
    for (const [index, database] of databases.entries()) sums[index] = (sums[index] ?? 0) + (await database.batch())
  return sums.map((sum) => sum / WINDOW)
}

export const measureWrites = async (): Promise<void> => {
  const grown = await startEmpty()
  const rows: Cell[][] = []
  for (let written = WINDOW; written < OPERATIONS; written += WINDOW) {
    const [ms = Number.NaN] = await measureWindow(grown)
    if (written === WINDOW || written % SHOWN_EVERY === 0)
      rows.push([`${written - WINDOW + 1} to ${written}`, rounded(ms, 2)])
  }
  const empty = await startEmpty()
  const [last = Number.NaN, first = Number.NaN] = await measureWindow(grown, empty)
  rows.push([`${OPERATIONS - WINDOW + 1} to ${OPERATIONS}`, rounded(last, 2)])
  rows.push([`1 to ${WINDOW} of a new one, in turns with them`, rounded(first, 2)])
  const change = rounded((last / first - 1) * 100)
  printTable('Writes to the embedded database, its stream read along', ['PutItem', 'CPU ms each'], rows, [
    `The last ${WINDOW} take ${change} % more than the first (target: at most ${TARGET_PERCENT} %, ${change <= TARGET_PERCENT ? 'met' : 'missed'}).`,
  ])
  await grown.stop()
  await empty.stop()
}
