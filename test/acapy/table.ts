/** The table of test/acapy/results.md: protocol, role, what happens, and the result with each version of ACA-Py. */
import { readFile, writeFile } from 'node:fs/promises'
import { VERSIONS, type Version } from './install.ts'
import type { Result } from './play.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios/all.ts'

const FILE = 'test/acapy/results.md'
const START = '<!-- results: written by npm run interop:acapy -- --version all --write-table -->'
const END = '<!-- end of results -->'

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const cellOf = (results: readonly Result[], document: string, scenario: Scenario, version: Version): string => {
  if (!scenario.versions.includes(version)) return ''
  const result = results.find((one) => one.scenario === scenario && one.version === version)
  if (result !== undefined) return result.failure === undefined ? 'passes' : '**fails**'
  // Not played this time.
  const start = row(namesOf(scenario)).slice(0, -1)
  const line = document.split('\n').find((one) => one.startsWith(start)) ?? ''
  return line.slice(start.length).split('|')[VERSIONS.indexOf(version) + 1]?.trim() ?? ''
}

const namesOf = ({ protocol, role, title }: Scenario): string[] => [protocol, role, title]

/** One row for each scenario; results of versions that were not played are those of the document. */
const tableOf = (results: readonly Result[], document: string): string => {
  const head = ['protocol', 'our role', 'the wallet', ...VERSIONS.map((version) => `ACA-Py ${version}`)]
  const rows = SCENARIOS.map((scenario) => [
    ...namesOf(scenario),
    ...VERSIONS.map((version) => cellOf(results, document, scenario, version)),
  ])
  return [head, head.map(() => '---'), ...rows].map(row).join('\n')
}

/** The document with the table of these results in the place of the old one. */
const withTable = (document: string, results: readonly Result[]): string => {
  const [before, after] = [document.indexOf(START), document.indexOf(END)]
  if (before < 0 || after < before) throw new Error(`${FILE} has no place for the table`)
  return `${document.slice(0, before)}${START}\n\n${tableOf(results, document)}\n\n${document.slice(after)}`
}

export const writeTable = async (results: readonly Result[]): Promise<void> =>
  writeFile(FILE, withTable(await readFile(FILE, 'utf8'), results))

export const tableIsCurrent = async (results: readonly Result[]): Promise<boolean> => {
  const document = await readFile(FILE, 'utf8')
  return withTable(document, results) === document
}
