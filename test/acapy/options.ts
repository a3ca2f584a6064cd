/** The command line of the interop suite. */
import { parseArgs } from 'node:util'
import { VERSIONS } from './install.ts'
import type { Play } from './play.ts'
import { SCENARIOS } from './scenarios/all.ts'

export interface Options {
  /** Parts of names; none: all scenarios. */
  names: string[]
  /** Of ACA-Py; none: all. */
  version: string | undefined
  list: boolean
  writeTable: boolean
  /** File that the counts are written to. */
  results: string | undefined
  /** Nothing is left out. */
  isWhole: boolean
}

export const readOptions = (argv: string[]): Options => {
  const { positionals, values } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      version: { type: 'string' },
      list: { type: 'boolean', default: false },
      'write-table': { type: 'boolean', default: false },
      results: { type: 'string' },
    },
  })
  const { version, list, 'write-table': writeTable, results } = values
  const isWhole = positionals.length === 0 && version === undefined
  if (writeTable && !isWhole) throw new Error('the table is written by a run of all scenarios')
  return { names: positionals, version, list, writeTable, results, isWhole }
}

/** What is to be played, in the order of the table. */
export const chosen = ({ names, version }: Options): Play[] =>
  SCENARIOS.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part))).flatMap((scenario) =>
    VERSIONS.filter((one) => scenario.versions.includes(one) && (version ?? one) === one).map((one) => ({
      scenario,
      version: one,
    })),
  )
