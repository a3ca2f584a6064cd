/** README, guides and ADRs: the files, links and commands that they name exist. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { requestToPaste } from '../../infra/local/announcement.ts'
import { layoutAddress, SINGLE_SORT_KEY } from '../../lib/store/keys.ts'
import packageJson from '../../package.json' with { type: 'json' }

const DOCUMENTS = globSync(['*.md', '.github/*.md', 'docs/**/*.md', 'test/*.md', 'test/acapy/*.md']).map(
  (document) => ({
    document,
    text: readFileSync(document, 'utf8'),
  }),
)

/** docs/extending.md names them as files to add. */
const EXAMPLES = ['lib/agent/formats/anoncreds/cheqd-registry.ts']

/** What a pattern finds in each document, without what is fine. */
const wrongIn = (pattern: RegExp, isRight: (found: string, document: string) => boolean): string[] =>
  DOCUMENTS.flatMap(({ document, text }) =>
    [...text.matchAll(pattern)]
      .map(([, found = '']) => found)
      .filter((found) => !isRight(found, document))
      .map((found) => `${document}: ${found}`),
  )

test('every file and folder that a document names exists', () => {
  const PATH = /`((?:functions|lib|infra|test|docs)\/[\w./*-]+)`/g
  expect(wrongIn(PATH, (path) => EXAMPLES.includes(path) || globSync(path).length > 0)).toEqual([])
  const named = DOCUMENTS.filter(({ document }) => document === 'docs/architecture.md').map(({ text }) => text)
  expect(named.join().match(PATH)?.length).toBeGreaterThan(50)
})

test('docs/extending.md has every problem code that the agent has beside those of Credo', () => {
  const codes = globSync('lib/agent/**/*.ts').flatMap(
    (file) => readFileSync(file, 'utf8').match(/(?<=')e\.[\w.-]+(?=')/g) ?? [],
  )
  const guide = readFileSync('docs/extending.md', 'utf8')
  expect(new Set(codes).size).toBeGreaterThan(3)
  expect(codes.filter((code) => !guide.includes(`\`${code}\``))).toEqual([])
})

test('docs/architecture.md has the sort keys by which npm run item finds what is alone in its partition', () => {
  const rows = readFileSync('docs/architecture.md', 'utf8').matchAll(/^\| .* \| `(.)`(?:;[^|]*)? \|$/gm)
  const [layout, ...alone] = [...rows].map(([, sortKey]) => sortKey)
  expect(layout).toBe(layoutAddress.sk)
  expect(alone.length).toBeGreaterThan(5)
  expect(new Set(alone)).toEqual(new Set([SINGLE_SORT_KEY]))
})

/** As GitHub names a heading in a link. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

test('every link to another file or section leads to one', () => {
  const leads = (link: string, document: string): boolean => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? document : join(dirname(document), path)
    if (!existsSync(target)) return false
    if (anchor === undefined) return true
    const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
    return headings.map(anchorOf).includes(anchor)
  }
  // SECURITY.md links a page of the repository on GitHub.
  const inRepository = /\]\((?!https?:|\.\.\/\.\.\/security\/)([^)\s]+)\)/g
  expect(wrongIn(inRepository, leads)).toEqual([])
})

test('every npm script that a document names is in package.json', () => {
  expect(wrongIn(/npm run (?:-s )?(\w[\w:-]*)/g, (script) => script in packageJson.scripts)).toEqual([])
})

test('no command to paste has a comment: zsh takes it for arguments when somebody types', () => {
  const commented = DOCUMENTS.flatMap(({ document, text }) =>
    [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)]
      .flatMap(([, block = '']) => block.match(/^.*(?:^|\s)#\s.*$/gm) ?? [])
      .map((line) => `${document}: ${line}`),
  )
  expect(commented).toEqual([])
})

test('every proof request to paste names a schema that Credo finds and one that ACA-Py finds', () => {
  const lines = [...DOCUMENTS, { document: 'npm start', text: requestToPaste('http://127.0.0.1:3000', 'token') }]
  const schemas = lines.flatMap(({ document, text }) =>
    [...text.matchAll(/"schema":(\[[^\]]*\])/g)].map(([, schema = '']) => ({ document, schema: JSON.parse(schema) })),
  )
  expect(schemas.map(({ document }) => document)).toContain('npm start')
  // Credo 0.5 compares contexts and short types, ACA-Py the full IRIs of types.
  const both = [
    { uri: 'https://www.w3.org/2018/credentials/v1' },
    { uri: 'https://www.w3.org/2018/credentials#VerifiableCredential' },
  ]
  for (const { document, schema } of schemas) expect({ document, schema }).toEqual({ document, schema: both })
})
