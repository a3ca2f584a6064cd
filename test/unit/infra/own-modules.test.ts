/** Modules that bundles treat in a way of their own are found by their path. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { modulesAt } from '../../../infra/bundle/own-modules.ts'
import packageJson from '../../../package.json' with { type: 'json' }

test('a file is found wherever the repository lies, and no other one', () => {
  const filter = modulesAt('lib/log.ts', 'lib/webvh/')
  const paths = ['/a/lib/log.ts', 'c:\\a\\lib\\log.ts', '/a/lib/webvh/log.ts', '/a/lib/logs.ts', '/a/lib/log.tsx']
  expect(paths.map((path) => filter.test(path))).toEqual([true, true, true, false, false])
})

test('a module that was moved ends the bundling', () => {
  expect(() => modulesAt('lib/agent/moved.ts')).toThrow('lib/agent/moved.ts')
})

test('the modules that no bundle may drop are there', () => {
  const { sideEffects } = packageJson
  expect(sideEffects.filter((path) => !existsSync(path))).toEqual([])
  expect(sideEffects).toContain('./lib/agent/compose.ts')
})
