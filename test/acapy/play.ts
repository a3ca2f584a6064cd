/** Plays scenarios, some at a time: they share processes, not records. */
import type { Version } from './install.ts'
import type { Scenario } from './scenario.ts'
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

/** Ms; one that hangs has failed. */
const DEADLINE = 120_000

const late = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`it took more than ${DEADLINE / 1000} s`)))
  })

/** The first line says it; assertions have theirs before the difference. */
const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n').filter(Boolean).join(' ').slice(0, 600)
}

const playOne = async (world: World, { scenario, version }: Play): Promise<Result> => {
  const start = performance.now()
  let failure: string | undefined
  try {
    const scene = await world.scene(scenario, version)
    const seen = scene.deliveries().length
    const playing = scenario.play(scene).then(() => {
      const refused = scene
        .deliveries()
        .slice(seen)
        .map(({ status }) => status)
        .filter((status) => status >= (scenario.refuses ? 500 : 400))
      if (refused.length > 0) throw new Error(`our endpoint answered ${refused.join(', ')}`)
    })
    await Promise.race([playing, late(AbortSignal.timeout(DEADLINE))])
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
