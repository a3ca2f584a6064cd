/**
 * `npm run record-calls`: runs the suites that run functions, and writes down which calls of AWS each of them made.
 * With names of test files it runs these alone, and adds what they show: `npm run record-calls -- api/get-tenant`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { folderOnThisMachine, WITHOUT_LIBRARY } from '../infra/anoncreds/library-file.ts'
import type { RecordedCall } from '../infra/roles/recorder.ts'
import { RECORDED_CALLS, type RecordedCalls } from './support/roles/recorded-calls.ts'

/** Those whose functions run under a guard of their roles. */
const PROJECTS = ['api', 'interop', 'attacks', 'anoncreds', 'faults']

/** By function, then by action and resource; all sorted, so that a change is a short diff. */
const summaryOf = (calls: RecordedCall[]): RecordedCalls => {
  const sorted = <T>(groups: Map<string, T[]>): [string, T[]][] => [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
  const byFunction = sorted(Map.groupBy(calls, (call) => call.function))
  return Object.fromEntries(
    byFunction.map(([functionKey, made]) => {
      const byCall = sorted(Map.groupBy(made, ({ action, resource }) => `${action} ${resource}`))
      const keysOf = (alike: RecordedCall[]) => [...new Set(alike.flatMap(({ key }) => key ?? []))].sort()
      return [functionKey, Object.fromEntries(byCall.map(([call, alike]) => [call, keysOf(alike)]))]
    }),
  )
}

/** The calls that are in the file already, as they were recorded. */
const callsIn = (recorded: RecordedCalls): RecordedCall[] =>
  Object.entries(recorded).flatMap(([functionKey, calls]) =>
    Object.entries(calls).flatMap(([call, keys]) => {
      const [action = '', resource = ''] = call.split(' ')
      const bare = { function: functionKey, action, resource }
      return keys.length === 0 ? [bare] : keys.map((key) => ({ ...bare, key }))
    }),
  )

const files = process.argv.slice(2)
// A layer that is skipped has made none of its calls.
if (files.length === 0 && folderOnThisMachine() === undefined) throw new Error(WITHOUT_LIBRARY)

const folder = mkdtempSync(join(tmpdir(), 'recorded-calls-'))
try {
  const { status } = spawnSync(
    process.execPath,
    [resolve('node_modules/vitest/vitest.mjs'), 'run', ...files, ...PROJECTS.flatMap((name) => ['--project', name])],
    { stdio: 'inherit', env: { ...process.env, RECORD_CALLS: folder } },
  )
  const before = files.length === 0 ? [] : callsIn(JSON.parse(readFileSync(RECORDED_CALLS, 'utf8')))
  const calls = readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line): RecordedCall => JSON.parse(line)),
  )
  // A test that fails has not made all of its calls; one that is skipped for lack of the library fails (the layer
  // anoncreds).
  if (status === 0) {
    writeFileSync(RECORDED_CALLS, JSON.stringify(summaryOf([...before, ...calls]), null, 2))
    spawnSync(process.execPath, [resolve('node_modules/@biomejs/biome/bin/biome'), 'format', '--write', RECORDED_CALLS])
  }
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true })
}
