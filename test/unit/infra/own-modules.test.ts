/** Modules that bundles treat in a way of their own are found by their path. */
import { expect, test } from 'vitest'
import { modulesAt } from '../../../infra/bundle/own-modules.ts'

test('a file is found wherever the repository lies, and no other one', () => {
  const filter = modulesAt('lib/log.ts', 'lib/webvh/')
  const paths = ['/a/lib/log.ts', 'c:\\a\\lib\\log.ts', '/a/lib/webvh/log.ts', '/a/lib/logs.ts', '/a/lib/log.tsx']
  expect(paths.map((path) => filter.test(path))).toEqual([true, true, true, false, false])
})

test('a module that was moved ends the bundling', () => {
  expect(() => modulesAt('lib/agent/moved.ts')).toThrow('lib/agent/moved.ts')
})
