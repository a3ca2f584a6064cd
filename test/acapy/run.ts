/**
 * `npm run interop:acapy`: plays scenarios with ACA-Py as the wallet, prints one line for each, and ends with the counts.
 * Arguments: names or parts of names of scenarios (none: all), `--version 1.2.7` or `all` (the newest by default), `--list`, `--write-table`,
 * `--results <file>`.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FOLDER, install, NotAvailable } from './install.ts'
import { chosen, type Options, readOptions } from './options.ts'
import { playAll, type Result } from './play.ts'
import { tellCounts, tellResult } from './report.ts'
import { tableIsCurrent, writeTable } from './table.ts'
import { World } from './world.ts'

/** What the shell sees where the suite cannot run. */
const NOT_AVAILABLE = 2

const writeLogs = async (world: World): Promise<void> => {
  const folder = join(FOLDER, 'logs')
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(await world.logs())) await writeFile(join(folder, `${name}.log`), text)
}

/** Counts in the shape of vitest's report. */
const writeCounts = (file: string, results: readonly Result[]): Promise<void> => {
  const failed = results.filter(({ failure }) => failure !== undefined).length
  return writeFile(file, JSON.stringify({ numPassedTests: results.length - failed, numFailedTests: failed }))
}

/** The table of test/acapy/results.md shows a whole run; one that differs fails this one. */
const checkTable = async (options: Options, results: Result[]): Promise<void> => {
  if (options.writeTable) return writeTable(results)
  if (results.some(({ failure }) => failure !== undefined) || (await tableIsCurrent(results))) return
  throw new Error(
    'test/acapy/results.md is not what this run gives: npm run interop:acapy -- --version all --write-table',
  )
}

const main = async (options: Options): Promise<number> => {
  const plays = chosen(options)
  if (options.list) {
    for (const { scenario, version } of plays) console.log(`${scenario.name} ${version}: ${scenario.title}`)
    return 0
  }
  await Promise.all(options.versions.map(install))
  const world = await World.start()
  const end = async (status: number) => {
    await world.stop()
    process.exit(status)
  }
  process.once('SIGINT', () => void end(130))
  process.once('SIGTERM', () => void end(143))
  const results: Result[] = []
  try {
    results.push(...(await playAll(world, plays, tellResult)))
  } finally {
    await writeLogs(world)
    await world.stop()
  }
  if (options.results !== undefined) await writeCounts(options.results, results)
  if (options.isWhole) await checkTable(options, results)
  tellCounts(results)
  return results.length > 0 && results.every(({ failure }) => failure === undefined) ? 0 : 1
}

try {
  process.exit(await main(readOptions(process.argv.slice(2))))
} catch (error) {
  console.error(error instanceof NotAvailable ? `interop:acapy cannot run: ${error.message}` : error)
  process.exit(error instanceof NotAvailable ? NOT_AVAILABLE : 1)
}
