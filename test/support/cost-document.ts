/** docs/cost.md as tests read it: its rows, what they come to, and whether they are what was measured. */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Units } from './table/consumed-units.ts'

export interface Row extends Units {
  /** Processor time of the functions, in ms. */
  lambdaMs: number
  /** Memory of the functions, in MB. */
  memory: number
  /** Invocations of functions beside the one of an HTTP request. */
  background: number
  /** HTTP requests that API Gateway takes. */
  http: number
  /** US dollars for a million. */
  total: number
}

/** Prices of the document, in US dollars. */
const PRICES = { read: 0.125, write: 0.625, gbSecond: 0.0000133334, invocation: 0.2, http: 3.5, queueRequest: 0.5 }
/** Requests of a wake-up to its queue: it is sent, received and deleted. */
const QUEUE_REQUESTS = 3

type Table = 'all' | 'AnonCreds'

/** The table of AnonCreds is in a part of its own, which is the last one. */
const [all = '', anonCreds = ''] = readFileSync('docs/cost.md', 'utf8').split('\n## AnonCreds\n')

/** Rows of a table, by their first cell. */
export const documentedRows = (table: Table): Map<string, Row> =>
  new Map(
    (table === 'all' ? all : anonCreds)
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter(([, , read = '', write = '']) => /^[\d.]+$/.test(read) && /^[\d.]+$/.test(write))
      .map(([, what = '', ...cells]): [string, Row] => {
        const [read = 0, write = 0, http = 0, background = 0, memory = 0, lambdaMs = 0, total = 0] = cells.map(Number)
        return [what.replaceAll('`', '').replace(/,.*/, ''), { read, write, http, background, memory, lambdaMs, total }]
      }),
  )

/** What a row comes to, in US dollars for a million. */
export const priceOf = ({ read, write, http, background, memory, lambdaMs }: Row): number =>
  read * PRICES.read +
  write * PRICES.write +
  http * PRICES.http +
  // An HTTP request is an invocation; the authorizer's answers are cached.
  (http + background) * PRICES.invocation +
  background * QUEUE_REQUESTS * PRICES.queueRequest +
  lambdaMs * (memory / 1024) * 1000 * PRICES.gbSecond

/** What was measured is what the rows of a table say. */
export const expectAsDocumented = (measured: Record<string, Units>, table: Table): void => {
  const documented = documentedRows(table)
  expect(Object.keys(measured).toSorted()).toEqual([...documented.keys()].toSorted())
  for (const [what, { read, write }] of Object.entries(measured)) {
    const row = documented.get(what)
    // What is known of destinations is read again after some seconds; in a flow invocations that meet read again.
    const isFlow = (row?.http ?? 0) > 1
    expect(read, `reads of ${what}`).toBeLessThanOrEqual((row?.read ?? 0) * (isFlow ? 1.6 : 1) + 1)
    // Keys are as long as their numbers.
    expect(write, `writes of ${what}`).toBeLessThanOrEqual((row?.write ?? 0) * (isFlow ? 1.2 : 1.01))
    // The document does not say more than there is, either.
    expect(write, `writes of ${what}`).toBeGreaterThanOrEqual((row?.write ?? 0) * (isFlow ? 0.8 : 0.99))
  }
}
