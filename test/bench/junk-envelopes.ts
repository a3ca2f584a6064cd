/**
 * What unauthenticated requests cost: each shape of junk posted to the agent's endpoint, in a separate process that knows
 * nothing yet.
 */
import { startBundledStage } from '../support/bench/bundled-stage.ts'
import { unpackFunctions } from '../support/bench/bundles.ts'
import { quantile, rounded } from '../support/bench/quantile.ts'
import { type Cell, printTable } from '../support/bench/table.ts'
import { JUNK } from '../support/wallets/junk-envelopes.ts'
import {
  type Cost,
  inviteUnknownSenders,
  RECEIVING_FUNCTIONS,
  startReceiving,
} from '../support/wallets/receiving-process.ts'

/** Until then V8 still compiles what is called. */
const WARM_UP = 10
const ROUNDS = 40

const toRow = (shape: string, body: string, costs: Cost[]): Cell[] => {
  const warm = costs.slice(WARM_UP).map(({ cpuMs }) => cpuMs)
  const requests = costs.map((cost) => cost.requests.length)
  return [
    shape,
    Buffer.byteLength(body),
    costs[0]?.status ?? 'no answer',
    Math.max(...requests),
    requests.at(-1) ?? 0,
    rounded(quantile(warm, 0.5)),
    rounded(quantile(warm, 0.9)),
  ]
}

export const measureJunkEnvelopes = async (): Promise<void> => {
  const unpacked = await unpackFunctions(RECEIVING_FUNCTIONS)
  const stage = await startBundledStage(unpacked.functions)
  try {
    const { tenantId, kid } = await inviteUnknownSenders(stage)
    const rows: Cell[][] = []
    for (const [shape, make] of Object.entries(JUNK)) {
      const receiving = await startReceiving(unpacked.functions, stage.environment, tenantId)
      const costs: Cost[] = []
      for (let round = 0; round < WARM_UP + ROUNDS; round++) costs.push(await receiving.post(make(kid)))
      await receiving.stop()
      rows.push(toRow(shape, make(kid), costs))
    }
    printTable(
      `What an unauthenticated caller can post to receive-didcomm, ${ROUNDS} times each`,
      ['shape', 'bytes', 'status', 'requests, first', 'then', 'CPU ms, p50', 'p90'],
      rows,
      ['Target: at most 2 requests to the table and 20 ms of processor time, whatever the shape.'],
    )
  } finally {
    await stage.stop()
    await unpacked.remove()
  }
}
