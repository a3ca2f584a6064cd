/** Titles of the tests of a file, as a document or `vitest -t` names them. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The text in quotes that stands before the function, or the options, of `test`, `describe` and their `each`. */
const TITLE = /\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`),\s*(?:async\s*)?[({]/g

const IMPORT = /(?:from|import) '(\.[^']*\.ts)'/g

const titlesIn = (source: string): string[] =>
  [...source.matchAll(TITLE)].map(([, single, double, template]) => single ?? double ?? template ?? '')

/** Titles in a file and in the modules that it imports: some tests are made by functions of test/support. Empty where there is no file. */
export const testTitles = (path: string): string[] => {
  if (!existsSync(path)) return []
  const source = readFileSync(path, 'utf8')
  const imported = [...source.matchAll(IMPORT)].map(([, name = '']) => join(dirname(path), name))
  const within = imported.filter((name) => name.startsWith('test/')).map((name) => readFileSync(name, 'utf8'))
  return [source, ...within].flatMap(titlesIn)
}
