/**
 * Processor time of a message and its delivery in all processes of the local stage: `npm run bench -- stage`. With the
 * folder of another checkout in `BENCH_BESIDE`, of its stage too.
 */
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { median, rounded } from '../support/bench/quantile.ts'
import { type Cell, printTable } from '../support/bench/table.ts'
import { askStage, connectWallet, newTenant } from '../support/stage/party.ts'
import { cpuMs, processTree } from '../support/stage/processes.ts'
import { Wallet } from '../wallet/wallet.ts'

const HERE = fileURLToPath(new URL('../..', import.meta.url))

const MESSAGES = 150
const ROUNDS = 5
/** Ms from an answer to the next message, so that a message is delivered before. */
const PAUSE = 12
/** Ms in which the last deliveries end. */
const REST = 1_500

const PARTS = {
  functions: 'infra/local/function-runtime.ts',
  stage: 'infra/local/start.ts',
  database: 'dynamodb.sqlite',
}

/** Ms of processor time of the stage's parts so far. */
const spent = (): number[] =>
  Object.values(PARTS).map((part) =>
    processTree(process.pid)
      .filter(({ command }) => command.includes(part))
      .reduce((sum, { pid }) => sum + cpuMs(pid), 0),
  )

/** A row: the medians of the rounds, in ms for each message, of the parts and together. */
const measureIn = async (folder: string): Promise<Cell[]> => {
  process.chdir(folder)
  const module = pathToFileURL(join(folder, 'test/support/stage/stage.ts')).href
  const { startStage }: typeof import('../support/stage/stage.ts') = await import(module)
  const stage = await startStage()
  const wallet = await Wallet.start()
  const tenant = await newTenant(stage, 'Bench')
  const { id } = await connectWallet(stage, tenant, wallet)
  const rounds: number[][] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const before = spent()
    for (let sent = 0; sent < MESSAGES; sent++) {
      await askStage(stage.baseUrl, tenant.token, `/basic-messages/${id}`, { content: 'hello' })
      await delay(PAUSE)
    }
    await delay(REST)
    const parts = spent().map((ms, part) => (ms - (before[part] ?? 0)) / MESSAGES)
    // The first warms up.
    if (round > 0) rounds.push([...parts, parts.reduce((sum, ms) => sum + ms, 0)])
  }
  await stage.stop()
  await wallet.stop()
  return [folder, ...(rounds[0] ?? []).map((_, part) => rounded(median(rounds.map((round) => round[part] ?? 0)), 1))]
}

export const measureStage = async (): Promise<void> => {
  const { BENCH_BESIDE: beside } = process.env
  const rows: Cell[][] = []
  for (const folder of [...(beside === undefined ? [] : [resolve(beside)]), HERE]) rows.push(await measureIn(folder))
  printTable(
    `Processor time of a message with its delivery on the local stage, in ms: medians of ${ROUNDS} times ${MESSAGES}`,
    ['stage of', ...Object.keys(PARTS), 'together'],
    rows,
  )
}
