/** The table in docs/interop.md: protocol, role, what happens, and the result with each version of ACA-Py. */
import { readFile, writeFile } from 'node:fs/promises'
import { VERSIONS } from './install.ts'
import type { Result } from './play.ts'

const FILE = 'docs/interop.md'
const START = '<!-- results: written by npm run interop:acapy -- --write-table -->'
const END = '<!-- end of results -->'

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const cell = (result: Result | undefined): string => {
  if (result === undefined) return ''
  return result.failure === undefined ? 'passes' : '**fails**'
}

/** One row for each scenario. */
const tableOf = (results: readonly Result[]): string => {
  const scenarios = [...new Set(results.map(({ scenario }) => scenario))]
  const head = ['protocol', 'our role', 'the wallet', ...VERSIONS.map((version) => `ACA-Py ${version}`)]
  const rows = scenarios.map((scenario) => {
    const resultOf = (version: string) => results.find((one) => one.scenario === scenario && one.version === version)
    return [scenario.protocol, scenario.role, scenario.title, ...VERSIONS.map((version) => cell(resultOf(version)))]
  })
  return [head, head.map(() => '---'), ...rows].map(row).join('\n')
}

/** The document with the table of these results in the place of the old one. */
const withTable = (document: string, results: readonly Result[]): string => {
  const [before, after] = [document.indexOf(START), document.indexOf(END)]
  if (before < 0 || after < before) throw new Error(`${FILE} has no place for the table`)
  return `${document.slice(0, before)}${START}\n\n${tableOf(results)}\n\n${document.slice(after)}`
}

export const writeTable = async (results: readonly Result[]): Promise<void> =>
  writeFile(FILE, withTable(await readFile(FILE, 'utf8'), results))

export const tableIsCurrent = async (results: readonly Result[]): Promise<boolean> => {
  const document = await readFile(FILE, 'utf8')
  return withTable(document, results) === document
}
