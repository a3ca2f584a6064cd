/** `npm run anoncreds`: the first source with the known bytes is used. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bringLibrary } from '../../../infra/anoncreds/bring-library.ts'
import { contentsOf } from '../../../infra/anoncreds/functions.ts'
import { LIBRARY_NAME, readLibrary } from '../../../infra/anoncreds/library-file.ts'
import type { LibrarySource } from '../../../infra/anoncreds/library-sources.ts'
import { architectureOf } from '../../../infra/anoncreds.ts'
import { describeWithLibrary } from '../../support/anoncreds/library.ts'
import { temporaryFolder } from '../../support/stage/folder.ts'

const OTHER_BUILD = Buffer.from('another build')

const source = (name: string, bring: () => Promise<Uint8Array>): LibrarySource => ({ name, bring })
const otherBuild = source('one', async () => OTHER_BUILD)
const unreachable = source('other', async () => {
  throw Object.assign(new Error('Command failed: python3'), { stderr: 'looking\nERROR: no such version\n' })
})

test('without a source that has the known bytes nothing is placed, and one line says why of each', async () => {
  await using folder = await temporaryFolder()
  const bringing = bringLibrary('arm64', join(folder.path, 'arm64'), [otherBuild, unreachable])
  await expect(bringing).rejects.toThrow(
    /^.* for arm64 could not be downloaded \(one: its SHA-256 is not the known one; other: ERROR: no such version\)$/,
  )
  expect(await readdir(folder.path)).toEqual([])
})

test('another file in its place is not the library', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, LIBRARY_NAME), OTHER_BUILD)
  expect(readLibrary('x64', folder.path)).toBeUndefined()
})

describeWithLibrary('with the library at hand', () => {
  const arch = architectureOf([])
  const library = async (): Promise<Uint8Array> => {
    const bytes = readLibrary(arch)
    if (bytes === undefined) throw new Error('npm run anoncreds has brought another library')
    return bytes
  }

  test('the next source is tried after one with another build, and takes the place of what lies there', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, LIBRARY_NAME), OTHER_BUILD)
    const said = await bringLibrary(arch, folder.path, [otherBuild, source('right', library)])
    expect(said).toContain('from right, its SHA-256 checked')
    expect(await readdir(folder.path)).toEqual([LIBRARY_NAME])
    expect(Buffer.from(await library()).equals(await readFile(join(folder.path, LIBRARY_NAME)))).toBe(true)
  })

  test('an existing one stays unchanged, and no source is called', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, LIBRARY_NAME), await library())
    expect(await bringLibrary(arch, folder.path, [])).toMatch(/^AnonCreds' library is there/)
  })
})

describe('the command line', () => {
  test('is of this machine’s processor unless it names one', () => {
    expect(architectureOf(['--arch', 'arm64'])).toBe('arm64')
    expect(architectureOf([])).toBe(process.arch)
  })

  test.each([[['--arch', 'mips']], [['--arch', 'constructor']], [['--processor', 'x64']], [['x64']]])(
    '%s is refused',
    (args) => {
      expect(() => architectureOf(args)).toThrow()
    },
  )
})

test.each([
  ['health', { withLibrary: false, withRegistries: false, withWebvh: false }],
  ['send-message', { withLibrary: false, withRegistries: false, withWebvh: true }],
  ['create-did', { withLibrary: false, withRegistries: true, withWebvh: true }],
  ['create-offer', { withLibrary: true, withRegistries: true, withWebvh: true }],
  ['nobody', { withLibrary: false, withRegistries: false, withWebvh: false }],
])('the function %s has what it uses', (name, contents) => {
  expect(contentsOf(`functions/${name}.ts`)).toEqual(contents)
})
