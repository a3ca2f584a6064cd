/** Packages and their modules that bundles treat in a way of their own are found by their names. */
import { expect, test } from 'vitest'
import { importsOf, packageModules } from '../../../infra/bundle/package-modules.ts'

test('an import is found by the name of its package, and no other one', () => {
  const filter = importsOf('zod', 'rxjs/operators', '@animo-id/pex/', '@sd-jwt/')
  const found = ['zod', 'rxjs/operators', '@animo-id/pex', '@animo-id/pex/dist/main', '@sd-jwt/core']
  const others = ['zod/v4', 'rxjs', '@animo-id/pex-models', '@sd-jwts/core', './zod']
  expect(found.filter((name) => !filter.test(name))).toEqual([])
  expect(others.filter((name) => filter.test(name))).toEqual([])
})

test('a file is found wherever its package lies, and no other one', () => {
  const filter = packageModules('zod/v4/locales/index.js', '@credo-ts/core/**/MdocContext.mjs', '@credo-ts/didcomm/')
  const found = [
    '/a/node_modules/zod/v4/locales/index.js',
    'c:\\a\\node_modules\\b\\node_modules\\zod\\v4\\locales\\index.js',
    '/a/node_modules/@credo-ts/core/MdocContext.mjs',
    '/a/node_modules/@credo-ts/core/build/modules/mdoc/MdocContext.mjs',
    '/a/node_modules/@credo-ts/didcomm/build/index.mjs',
  ]
  const others = [
    '/a/node_modules/zod/v4/locales/indexxjs',
    '/a/node_modules/@credo-ts/core/build/OtherMdocContext.mjs',
    '/a/node_modules/@credo-ts/didcommx/index.mjs',
    '/a/zod/v4/locales/index.js',
  ]
  expect(found.filter((path) => !filter.test(path))).toEqual([])
  expect(others.filter((path) => filter.test(path))).toEqual([])
})

test.each(['@owf/mdoc', '@owf/', '@credo-ts/cor', 'serverless', 'zo'])('an import that no package has: %s', (entry) => {
  expect(() => importsOf('zod', entry)).toThrow(entry)
})

test.each(['@credo-ts/core/**/Moved.mjs', '@owf/', 'zod/v4/moved.js'])('a file that no package has: %s', (entry) => {
  expect(() => packageModules('zod/', entry)).toThrow(entry)
})
