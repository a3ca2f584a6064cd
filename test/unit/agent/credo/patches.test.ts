/** lib/agent/credo/patches.md lists each change of Credo, and the originals are those that were read for it. */
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hashOf, originalText } from '../../../support/credo/originals.ts'
import { exportedOverrides, findPatches, pinsOf } from '../../../support/credo/patches.ts'

const LIST = 'lib/agent/credo/patches.md'

const patches = await findPatches()

const rowOf = ({ of, file }: (typeof patches)[number]): string => `${of} in ${file.replace('lib/agent/', '')}`

const codeIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** Each original of a row with the file of ours. */
const listed = readFileSync(LIST, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => {
    const [originals, files] = line.split(' | ')
    return codeIn(files).flatMap((file) => codeIn(originals).map((of) => `${of} in ${file}`))
  })

describe('the list of changes of Credo', () => {
  test('has each override, replacement, registration and module that is left out', () => {
    const found = patches.map(rowOf)
    expect(found.filter((one) => !listed.includes(one))).toEqual([])
    expect(found.length).toBeGreaterThan(100)
  })

  test('has none that no longer exists', () => {
    const found = patches.map(rowOf)
    expect(listed.filter((one) => !found.includes(one))).toEqual([])
  })

  test('has what the running classes override', async () => {
    const found = patches.map(({ of }) => of)
    const modules = globSync('lib/agent/**/*.ts', { exclude: (name) => String(name).endsWith('.d.ts') })
    const exported = await Promise.all(modules.map(async (file) => exportedOverrides(await import(resolve(file)))))
    expect(exported.flat().filter((one) => !found.includes(one))).toEqual([])
    expect(exported.flat().length).toBeGreaterThan(50)
  })
})

/** A difference names the original that a new Credo has changed. */
test('the originals are unchanged', async () => {
  const pins = await pinsOf(patches)
  await expect(`${JSON.stringify(pins, null, 2)}\n`).toMatchFileSnapshot('pins.json')
})

describe('the pin of a member', () => {
  class Parent {
    readonly first: number

    constructor(first: number) {
      this.first = first
    }

    inherited(): number {
      return this.first
    }
  }

  class Original extends Parent {
    protected second = () => 1

    static made(): number {
      return 1
    }

    get third(): number {
      return 1
    }

    fourth(): number {
      return 1
    }
  }

  class Changed extends Parent {
    protected second = () => 2

    static made(): number {
      return 2
    }

    get third(): number {
      return 2
    }

    fourth(): number {
      return 2
    }
  }

  const pin = (of: typeof Original | typeof Changed, member: string) => hashOf(originalText(of, member) ?? '')

  test.each(['second', 'made', 'third', 'fourth', 'constructor'])('changes with its text: %s', (member) => {
    expect(originalText(Original, member)).toEqual(expect.any(String))
    expect(pin(Original, member)).not.toBe(pin(Changed, member))
  })

  test('is that of the class which defines it', () => {
    expect(pin(Original, 'inherited')).toBe(pin(Changed, 'inherited'))
    expect(originalText(Original, 'inherited')).toContain('this.first')
  })

  test('is missing for a member that neither class has', () => {
    expect(originalText(Original, 'fifth')).toBeUndefined()
  })
})
