/**
 * Processor time of warm bundled functions beside those of another checkout of the service, in turns: a busy machine
 * slows both down alike. `npm run bench -- paired`, with the folder of the other in `BENCH_BESIDE`.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Asked, Told } from '../support/bench/paired-side.ts'
import { median, quantile, rounded } from '../support/bench/quantile.ts'
import { type Cell, printTable } from '../support/bench/table.ts'

const SIDE = fileURLToPath(new URL('../support/bench/paired-side.ts', import.meta.url))
const HERE = fileURLToPath(new URL('../..', import.meta.url))

/** Requests of each side in a round. */
const REQUESTS = 10
const ROUNDS = 60
const WARM_UP = 40

const nextOf = async (side: ChildProcess): Promise<Told> => (await once(side, 'message'))[0]

const startSide = async (folder: string): Promise<{ side: ChildProcess; operations: string[] }> => {
  const side = fork(SIDE, [folder], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  side.once('exit', (code) => {
    if (code !== 0) throw new Error(`the functions of ${folder} have ended with ${code}`)
  })
  const told = await nextOf(side)
  return { side, operations: 'operations' in told ? told.operations : [] }
}

const ask = async (side: ChildProcess, asked: Asked): Promise<number> => {
  side.send(asked)
  const told = await nextOf(side)
  return 'cpuMs' in told ? told.cpuMs : Number.NaN
}

const compare = async (operation: string, other: ChildProcess, own: ChildProcess): Promise<Cell[]> => {
  const [there, here, ratios]: [number[], number[], number[]] = [[], [], []]
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const before = await ask(other, { operation, count: REQUESTS })
    const after = await ask(own, { operation, count: REQUESTS })
    if (round < 0) continue
    there.push(before)
    here.push(after)
    ratios.push(after / before)
  }
  const [low, lowHere] = [quantile(there, 0.25), quantile(here, 0.25)]
  return [operation, rounded(low, 2), rounded(lowHere, 2), rounded(lowHere / low, 2), rounded(median(ratios), 2)]
}

export const measurePaired = async (): Promise<void> => {
  const beside = process.env.BENCH_BESIDE
  if (beside === undefined) {
    console.log('\nNo functions are compared with others: BENCH_BESIDE names no other checkout.')
    return
  }
  const { side: other } = await startSide(beside)
  const { side: own, operations } = await startSide(HERE)
  const rows: Cell[][] = []
  for (const operation of operations) rows.push(await compare(operation, other, own))
  for (const side of [own, other]) {
    const ended = once(side, 'exit')
    side.disconnect()
    await ended
  }
  printTable(
    `Processor time of a warm request, beside ${beside}: ${ROUNDS} rounds of ${REQUESTS} each, in turns`,
    ['operation', 'ms there', 'ms here', 'ratio', 'median of the ratios'],
    rows,
    ['The ms and their ratio are of the lower quartiles, which other load on the machine changes least.'],
  )
}
