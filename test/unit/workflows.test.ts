/** GitHub's workflows, as far as they can be checked without GitHub. */
import { readdirSync, readFileSync } from 'node:fs'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'

const FOLDER = '.github/workflows'

const { scripts } = v.parse(
  v.object({ scripts: v.record(v.string(), v.string()) }),
  JSON.parse(readFileSync('package.json', 'utf8')),
)

describe.each(readdirSync(FOLDER))('%s', (file) => {
  const text = readFileSync(`${FOLDER}/${file}`, 'utf8')
  const valuesOf = (key: string) =>
    [...text.matchAll(new RegExp(`^ +(?:- )?${key}: (.+)$`, 'gm'))].map(([, value = '']) => value)

  test('uses actions by the hash of their commit, which cannot be moved', () => {
    for (const action of valuesOf('uses')) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  test('reads the repository, and writes only where a job says what', () => {
    expect(text).toMatch(/^permissions: \{ contents: read \}$/m)
  })

  test('has no key of AWS', () => {
    expect(text).not.toMatch(/secrets\.|aws-access-key-id|AWS_SECRET/)
  })

  test('puts nothing of an event or an input into a command', () => {
    expect(valuesOf('run').filter((command) => command.includes('${{'))).toEqual([])
  })

  test('runs scripts that there are', () => {
    for (const command of valuesOf('run'))
      for (const [, name = ''] of command.matchAll(/npm run (?:-s )?([\w:]+)/g)) expect(scripts).toHaveProperty([name])
  })
})

test('.ci/run tests a fresh clone, into which it brings nothing', () => {
  const text = readFileSync('.ci/run', 'utf8')
  const inClone = [...text.matchAll(/^(?:step|tests) .* in_clone (.*)$/gm)].map(([, command = '']) => command)
  expect(text).toMatch(/^step clone git clone --quiet \. "\$fresh"/m)
  expect(inClone).toEqual([expect.stringMatching(/^npm ci /), expect.stringMatching(/^nice -n 3 npm test /)])
})
