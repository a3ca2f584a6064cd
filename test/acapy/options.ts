/** The command line of the interop suite. */
import { parseArgs } from 'node:util'
import { VERSIONS, type Version } from './install.ts'
import type { Play } from './play.ts'
import { SCENARIOS } from './scenarios/all.ts'

export interface Options {
  /** Parts of names; none: all scenarios. */
  names: string[]
  /** Of ACA-Py. */
  versions: readonly Version[]
  list: boolean
  writeTable: boolean
  /** File that the counts are written to. */
  results: string | undefined
  /** No scenario of these versions is left out. */
  isWhole: boolean
}

/** The newest one, unless `--version` names another one or `all`. */
const versionsOf = (name: string): readonly Version[] =>
  name === 'all' ? VERSIONS : VERSIONS.filter((version) => version === name)

export const readOptions = (argv: string[]): Options => {
  const { positionals, values } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      version: { type: 'string', default: VERSIONS[0] },
      list: { type: 'boolean', default: false },
      'write-table': { type: 'boolean', default: false },
      results: { type: 'string' },
    },
  })
  const { list, 'write-table': writeTable, results } = values
  const versions = versionsOf(values.version)
  if (versions.length === 0) throw new Error(`--version is ${VERSIONS.join(', ')} or all`)
  const isWhole = positionals.length === 0
  if (writeTable && !(isWhole && values.version === 'all'))
    throw new Error('the table is written by a run of all scenarios with all versions')
  return { names: positionals, versions, list, writeTable, results, isWhole }
}

/** What is to be played, in the order of the table. */
export const chosen = ({ names, versions }: Options): Play[] =>
  SCENARIOS.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part))).flatMap((scenario) =>
    versions.filter((one) => scenario.versions.includes(one)).map((version) => ({ scenario, version })),
  )
