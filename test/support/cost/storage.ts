/** Permanent items of the table, compared with the rows of docs/cost.md: items that expire are left out. */
import { readFileSync } from 'node:fs'
import { paginateScan } from '@aws-sdk/client-dynamodb'
import { expect } from 'vitest'
import { itemBytes } from '../../../lib/store/item.ts'
import type { InProcessStage } from '../stage/in-process-stage.ts'

/** DynamoDB adds them to each item: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html */
const OVERHEAD = 100

/** Dollars a month for a GB of the table, and of its continuous backup. https://aws.amazon.com/dynamodb/pricing/on-demand/ */
const GB_MONTH = 0.25 + 0.2

/** Bytes of all items that do not expire. Call it where nothing is being delivered. */
export const storedBytes = async ({ client, table }: Pick<InProcessStage, 'client' | 'table'>): Promise<number> => {
  let bytes = 0
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table }))
    for (const item of Items) bytes += item.expiresAt === undefined ? itemBytes(item) + OVERHEAD : 0
  return bytes
}

const ROW = /^\| (?<what>.+) \| (?<kilobytes>\d+) KB \| \$(?<dollars>[\d.]+) \|$/gm
const rows = [...readFileSync('docs/cost.md', 'utf8').matchAll(ROW)].map(({ groups }) => groups)

/** The document says how many KB stay, to a tenth, and what a million of that cost a month. */
export const expectStored = (what: string, bytes: number): void => {
  const row = rows.find((one) => one?.what === what)
  const kilobytes = Number(row?.kilobytes)
  expect(Math.abs(bytes / 1000 - kilobytes), `${what}: ${bytes} bytes`).toBeLessThanOrEqual(kilobytes / 10)
  expect(row?.dollars).toBe((kilobytes * GB_MONTH).toFixed(2))
}
