/**
 * The package that verifies logs of did:webvh, as it is bundled: it caches nothing of third parties' logs, and loads no
 * module by a name.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { slimWebvhCode } from '../../../infra/bundle/slim-packages.ts'

const code = readFileSync('node_modules/didwebvh-ts/dist/esm/index.js', 'utf8')

test('its memory of hashes and its loaders of modules are left out, and little else', () => {
  const slim = slimWebvhCode(code)
  expect(slim).not.toMatch(/hashCache\.set\(|createRequire|import\(|NODE_ENV/)
  expect(code.length - slim.length).toBeLessThan(300)
})

test('a changed package is not bundled before a review', () => {
  expect(() => slimWebvhCode(code.replaceAll('hashCache', 'cache'))).toThrow('no longer has hashCache')
})
