/** The tables of docs/cost.md: rows of flows, the cost of a row, and the budgets of kinds of operations. */
import { readFileSync } from 'node:fs'
import { functionsOfServiceFile } from '../../../infra/access/service-file.ts'
import type { Contract } from '../../../lib/interface/contract.ts'
import { handlerOf } from '../source/operation-functions.ts'
import type { Units } from '../table/consumed-units.ts'

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

/** Prices of docs/cost.md, in US dollars. */
const PRICES = { read: 0.125, write: 0.625, gbSecond: 0.0000133334, invocation: 0.2, http: 3.5, queueRequest: 0.5 }
/** Requests of a wake-up to its queue: it is sent, received and deleted. */
const QUEUE_REQUESTS = 3

const cells = readFileSync('docs/cost.md', 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))

/** Rows of flows and of the operations that they are made of, by their first cell up to a comma. */
export const documented = new Map(
  cells
    .filter(([, , read = '', write = '']) => /^[\d.]+$/.test(read) && /^[\d.]+$/.test(write))
    .map(([, what = '', ...cells]): [string, Row] => {
      const [read = 0, write = 0, http = 0, background = 0, memory = 0, lambdaMs = 0, total = 0] = cells.map(Number)
      return [what.replaceAll('`', '').replace(/,.*/, ''), { read, write, http, background, memory, lambdaMs, total }]
    }),
)

/** Units that operations of a kind may consume, and US dollars for a million of them without milliseconds. */
export const budgets = cells
  .filter(({ length, 3: read = '', 4: write = '' }) => length === 7 && /^\d+$/.test(read) && /^\d+$/.test(write))
  .map(([, kind = '', permissions = '', ...numbers]) => {
    const [read = 0, write = 0, total = 0] = numbers.map(Number)
    return { kind, permissions: [...permissions.matchAll(/`(.+?)`/g)].map(([, name = '']) => name), read, write, total }
  })

/** Requests to the table at most, by the operation's function or by a kind of operation. */
export const requestBudgets = new Map(
  cells
    .filter(({ length, 2: most = '' }) => length === 4 && /^\d+$/.test(most))
    .map(([, what = '', most]) => [what.replaceAll('`', '').replace(/,.*/, ''), Number(most)]),
)

/** The budget of an operation: the last one whose `permissions` it has, or that of operations which need none of them. */
export const budgetOf = ({ operationId, writes }: Contract) => {
  const permissions = functionsOfServiceFile()[handlerOf(operationId)]?.permissions ?? []
  const [reads, changes, ...others] = budgets
  const isOfBudget = (budget: (typeof others)[number]) => budget.permissions.some((name) => permissions.includes(name))
  return writes ? (others.findLast(isOfBudget) ?? changes) : reads
}

/** The cost of a row, in US dollars for a million. */
export const priceOf = ({ read, write, http, background, memory, lambdaMs }: Omit<Row, 'total'>): number =>
  read * PRICES.read +
  write * PRICES.write +
  http * PRICES.http +
  // An HTTP request is an invocation; the authorizer's answers are cached.
  (http + background) * PRICES.invocation +
  background * QUEUE_REQUESTS * PRICES.queueRequest +
  lambdaMs * (memory / 1024) * 1000 * PRICES.gbSecond

/** Rows that take AnonCreds' native library, and are measured where it is. */
export const ANONCREDS_FLOWS = [
  'a credential definition that is made',
  'an AnonCreds credential that is issued',
  'a proof of it',
  'its revocation',
]

/** The rows of OpenID4VP and OpenID4VCI, which have tests of their own. */
export const OPENID_PRESENTATION = 'a presentation by OpenID4VP'
export const OPENID_ISSUANCE = 'a credential by OpenID4VCI'
