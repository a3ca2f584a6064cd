/** test/security.md, held by a test: the tests that it names are there, and no operation or risk is left out. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Contract } from '../../lib/interface/contract.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { testTitles } from './test-titles.ts'

const document = readFileSync('test/security.md', 'utf8')

/** Cells of the rows of all tables in a text, without their heads. */
const rowsIn = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => /^\| (?!group |operations )/.test(line))
    .map((line) => line.slice(1, -1).split('|'))
    .map((cells) => cells.map((cell) => cell.trim()))

/** The text of a chapter or section, by its heading. */
const under = (heading: string): string => {
  const [level = ''] = /^#+/.exec(heading) ?? []
  const [, after = ''] = document.split(`\n${heading}`)
  return after.split(new RegExp(`\n#{1,${level.length}} `))[0] ?? ''
}

/** Calls by group, such as `GET /dids/*`. */
const groups = new Map(
  rowsIn(under('## Operations')).map(([group = '', calls = '']) => [group, calls.replaceAll('`', '').split(', ')]),
)

/** The groups of all calls that an operation fits, with what of each it is compared with: the longest decides. */
const fitting = ({ method, path }: Contract): { group: string; call: string; compared: string }[] =>
  [...groups]
    .flatMap(([group, calls]) => calls.map((call) => ({ group, call, compared: call.replace(/\*$/, '') })))
    .filter(({ call, compared }) =>
      call === compared ? `${method} ${path}` === call : `${method} ${path}`.startsWith(compared),
    )
    .toSorted((a, b) => b.compared.length - a.compared.length)

const RISKS = Array.from({ length: 10 }, (_, index) => `API${index + 1}`)

/** A file and what it shows: `folder/file` "title", "another title". */
const NAMED = /`([a-z][\w/-]+)`((?:,? "[^"]+")+)/g

const namedIn = (text: string): [file: string, title: string][] =>
  [...text.matchAll(NAMED)].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']): [string, string] => [file, title]),
  )

test('every operation is in a group by its path, and no call in the table is of none', () => {
  const decided = OPERATIONS.map((contract) => fitting(contract)[0])
  expect(OPERATIONS.filter((_, index) => decided[index] === undefined)).toEqual([])
  expect([...groups.values()].flat().filter((call) => !decided.some((one) => one?.call === call))).toEqual([])
})

test('whoever needs no token is in a group that says so, and not among those of any path', () => {
  const open = OPERATIONS.filter(({ security }) => security !== 'token')
  expect(open.length).toBeGreaterThan(5)
  expect(open.filter((contract) => ['reads', 'sending'].includes(fitting(contract)[0]?.group ?? ''))).toEqual([])
})

describe.each(RISKS)('%s', (risk) => {
  const rows = rowsIn(under(`### ${risk} `))

  test('is answered for every group', () => {
    const answered = rows.flatMap(([named = '']) => (named === 'all' ? [...groups.keys()] : named.split(', ')))
    expect([...new Set(answered)].toSorted()).toEqual([...groups.keys()].toSorted())
  })

  test('has tests, or a reason why there are none, in every row', () => {
    const without = rows.filter(([, , shown = '']) => namedIn(shown).length === 0 && !/^not applicable: \w/.test(shown))
    expect(without).toEqual([])
  })
})

describe('the tests that it names', () => {
  const named = namedIn(document)

  test('are there', () => {
    const missing = named.filter(
      ([file, title]) => !testTitles(`test/${file}.test.ts`).some((existing) => existing.includes(title)),
    )
    expect(missing).toEqual([])
  })

  test('are all that it says in quotes after a file: no name is passed over', () => {
    const quoted = document.match(/` "|", "/g) ?? []
    expect(named.length).toBe(quoted.length)
    expect(named.length).toBeGreaterThan(RISKS.length)
  })
})
