/**
 * How long a cold start takes: from the start of the process until the handler is loaded, and until its first answer is
 * there.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { folderOnThisMachine, WITHOUT_LIBRARY } from '../../infra/anoncreds/library-file.ts'
import { localIssuer } from '../../infra/local/issuer.ts'
import { startBundledStage, toReply } from '../support/bench/bundled-stage.ts'
import { unpackFunctions } from '../support/bench/bundles.ts'
import { startFunction } from '../support/bench/function-process.ts'
import { gatewayEvent } from '../support/bench/gateway-event.ts'
import { median, rounded } from '../support/bench/quantile.ts'
import { printTable } from '../support/bench/table.ts'
import { exportOf } from '../support/source/operation-functions.ts'
import { type NextEvent, prepareEvents } from './cold-events.ts'

/** Starts of each function in each of the two ways; the median is shown. */
const RUNS = 5

interface Candidate {
  name: string
  module: string
  handler: string
  event: NextEvent
}

interface Start {
  readyMs: number
  answerMs: number
  /** Processor time of the process until its answer, in ms. */
  cpuMs: number
}

const assertAnswered = (name: string, answer: unknown): void => {
  if (typeof answer !== 'object' || answer === null || !('statusCode' in answer)) return
  const { status, body } = toReply(answer)
  if (status >= 300) throw new Error(`${name} answers ${status}: ${JSON.stringify(body)}`)
}

const start = async (
  { name, module, handler, event }: Candidate,
  environment: Record<string, string>,
): Promise<Start> => {
  const first = await event()
  const startedAt = performance.now()
  // As /var/task on AWS.
  const running = await startFunction(module, handler, { ...environment, LIB_ANONCREDS_PATH: dirname(module) })
  try {
    assertAnswered(name, await running.invoke(first))
    return { readyMs: running.readyMs, answerMs: performance.now() - startedAt, cpuMs: running.cpuMs() }
  } finally {
    await running.stop()
  }
}

/** A function that does nothing: what a process, its runtime and an answer cost at least. */
const emptyFunction = async (folder: string): Promise<Candidate> => {
  const module = join(folder, 'empty', 'index.mjs')
  await mkdir(join(folder, 'empty'))
  await writeFile(module, "export const empty = async () => ({ statusCode: 200, headers: {}, body: '' })\n")
  return { name: 'an empty function', module, handler: 'empty', event: () => gatewayEvent() }
}

const figures = (starts: Start[], empty: Start[] = []): number[] => {
  const middle = (pick: (start: Start) => number, of = starts) => median(of.map(pick))
  const answer = middle(({ answerMs }) => answerMs)
  const base = middle(({ answerMs }) => answerMs, empty)
  return [middle(({ readyMs }) => readyMs), answer, middle(({ cpuMs }) => cpuMs)]
    .map(Math.round)
    .concat(rounded(answer / base))
}

/** In turns, so that what else the machine does falls on all alike. The first turn fills the caches. */
const measure = async (
  all: Candidate[],
  environments: Record<string, string>[],
): Promise<Map<Candidate, Start[][]>> => {
  const starts = new Map(all.map((one) => [one, environments.map((): Start[] => [])]))
  for (let run = 0; run <= RUNS; run++)
    for (const [one, ways] of starts)
      for (const [way, environment] of environments.entries()) {
        const measured = await start(one, environment)
        if (run > 0) ways[way]?.push(measured)
      }
  return starts
}

const print = (starts: Map<Candidate, Start[][]>): void => {
  const columns = [
    'function',
    'ready',
    'answer',
    'processor',
    '× empty',
    'cached: ready',
    'answer',
    'processor',
    '× empty',
  ]
  const [empty = []] = starts.values()
  const rows = [...starts].map(([{ name }, ways]) => [
    name,
    ...ways.flatMap((way, index) => figures(way, empty[index])),
  ])
  printTable(`Cold starts: ms from the start of the process, median of ${RUNS}`, columns, rows, [
    'Plain Node processes with a runtime loop of 50 lines, each bundle in its own folder, over the embedded DynamoDB.',
    'Cached: with NODE_COMPILE_CACHE filled by an earlier start, which Lambda does not give to a new environment.',
  ])
}

export const measureColdStarts = async (): Promise<void> => {
  if (folderOnThisMachine() === undefined) console.log(`\n${WITHOUT_LIBRARY}`)
  const unpacked = await unpackFunctions()
  const cache = await mkdtemp(join(tmpdir(), 'compile-cache-'))
  const issuer = await localIssuer(unpacked.folder)
  const stage = await startBundledStage(unpacked.functions, { TOKEN_ISSUERS: JSON.stringify([issuer.settings]) })
  try {
    const environments = [stage.environment, { ...stage.environment, NODE_COMPILE_CACHE: cache }]
    const { events, variants, stop } = await prepareEvents(stage, issuer, (RUNS + 1) * environments.length)
    const all = [...unpacked.functions.values()].flatMap(({ name, module }) => {
      const event = events.get(name)
      const plain = event === undefined ? [] : [{ name, event }]
      return [...plain, ...variants.filter(({ of }) => of === name)].map((one) => ({
        name: one.name,
        module,
        handler: exportOf(name),
        event: one.event,
      }))
    })
    print(await measure([await emptyFunction(unpacked.folder), ...all], environments))
    const others = [...unpacked.functions.keys()].filter((name) => !events.has(name))
    console.log(`\nNot started, since the scene does not call them: ${others.join(', ')}`)
    await stop()
  } finally {
    await stage.stop()
    await unpacked.remove()
    await rm(cache, { recursive: true, force: true })
  }
}
