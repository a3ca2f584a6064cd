/**
 * `npm run deploy:emulated`: deploys to an emulated AWS as an operator would, breaks the first try, deploys again, updates, breaks an update,
 * removes, and deploys again with the old table and key. One line for each step, then the counts.
 * `--results <file>` writes them in the shape of vitest's report.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bringLibrary } from '../../infra/anoncreds/bring-library.ts'
import { StageFailure } from '../../infra/failure.ts'
import { FOLDER, NotAvailable } from './install.ts'
import { STEPS } from './steps.ts'
import { World } from './world.ts'

/** What the shell sees where the suite cannot run. */
const NOT_AVAILABLE = 2

/** One step stands on the one before: after a failure the rest is not tried, and counts as failed. */
const takeAll = async (world: World): Promise<number> => {
  let passed = 0
  for (const { title, run: take } of STEPS) {
    const start = performance.now()
    const failure = await take(world).then(
      () => undefined,
      (error) => (error instanceof Error ? error.message : String(error)),
    )
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`${failure === undefined ? 'ok    ' : 'FAILED'} ${title} (${seconds} s)`)
    if (failure !== undefined) {
      console.log(`       ${failure}`)
      break
    }
    passed++
  }
  return passed
}

const writeLog = async (world: World): Promise<void> => {
  await mkdir(FOLDER, { recursive: true })
  await writeFile(join(FOLDER, 'moto.log'), world.aws.log)
}

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: { results: { type: 'string' } } })
  // As an operator does first: npm run anoncreds -- --arch arm64.
  await bringLibrary('arm64')
  const world = await World.start()
  const end = async (status: number) => {
    await world.stop()
    process.exit(status)
  }
  process.once('SIGINT', () => void end(130))
  process.once('SIGTERM', () => void end(143))
  let passed = 0
  try {
    passed = await takeAll(world)
  } finally {
    await writeLog(world)
    await world.stop()
  }
  const counts = { numPassedTests: passed, numFailedTests: STEPS.length - passed }
  if (values.results !== undefined) await writeFile(values.results, JSON.stringify(counts))
  console.log(`\nDeployment: ${counts.numPassedTests} passed, ${counts.numFailedTests} failed`)
  return counts.numFailedTests === 0 ? 0 : 1
}

try {
  process.exit(await main())
} catch (error) {
  const isAbsent = error instanceof NotAvailable || error instanceof StageFailure
  console.error(isAbsent ? `deploy:emulated cannot run: ${error.message}` : error)
  process.exit(isAbsent ? NOT_AVAILABLE : 1)
}
