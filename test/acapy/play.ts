/** Plays scenarios, some at a time: they share processes, not records. */
import type { Version } from './install.ts'
import type { Scenario, Scene } from './scenario.ts'
import type { World } from './world.ts'

export interface Play {
  scenario: Scenario
  version: Version
}

export interface Result extends Play {
  /** Why it failed; undefined: it passed. */
  failure: string | undefined
  milliseconds: number
}

/** Two processors, and scenarios that mostly wait. */
const AT_ONCE = 4

/** Ms; one that hangs has failed. The first to need credential definitions waits for their keys, and for an operator of a ledger. */
const DEADLINE = 180_000

const late = (signal: AbortSignal): Promise<Error> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(new Error(`it took more than ${DEADLINE / 1000} s`)))
  })

/** The first line of the message; assertions have the difference after it. */
const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n').filter(Boolean).join(' ').slice(0, 600)
}

/** What our endpoint rejected of the wallet, as `400 to basicmessage/1.0/message`. */
const refusals = async ({ acapy, deliveries }: Scene, from: number, least: number): Promise<string[]> => {
  const refused = deliveries()
    .slice(from)
    .filter(({ status }) => status >= least)
  if (refused.length === 0) return []
  const sent = await acapy.sent()
  return refused.map(({ status, envelope }) => {
    const type = `${sent[JSON.parse(envelope).tag]}`
    return `${status} to ${type.split('/').slice(-3).join('/')}`
  })
}

const playOne = async (world: World, { scenario, version }: Play): Promise<Result> => {
  const start = performance.now()
  let failure: string | undefined
  try {
    const scene = await world.scene(scenario, version)
    const before = scene.deliveries().length
    const playing = scenario.play(scene).catch((error) => error)
    const ended = await Promise.race([playing, late(AbortSignal.timeout(DEADLINE))])
    const refused = await refusals(scene, before, scenario.refuses ? 500 : 400)
    const reasons = [
      ...(ended ? [reasonOf(ended)] : []),
      ...(refused.length > 0 ? [`we answered ${refused.join(', ')}`] : []),
    ]
    if (reasons.length > 0) failure = reasons.join('; ')
  } catch (error) {
    failure = reasonOf(error)
  }
  return { scenario, version, failure, milliseconds: performance.now() - start }
}

/** Resolves when all are played; `tell` hears of each as it ends. */
export const playAll = async (
  world: World,
  plays: readonly Play[],
  tell: (result: Result) => void,
): Promise<Result[]> => {
  const results: Result[] = []
  const waiting = [...plays.entries()]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, play] = next
      const result = await playOne(world, play)
      results[index] = result
      tell(result)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}
