/** The layers of tests. `npm test` runs the first ones, in a few minutes, `npm run test:long` the others. */
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { folderOnThisMachine, WITHOUT_LIBRARY } from './infra/anoncreds/library-file.ts'
import { LongestFirst } from './test/support/longest-first.ts'

/** Ms after which a test hangs. It bounds nothing else: beside other work the longest ones take minutes. */
const END = 15 * 60_000

const NEEDS_LIBRARY = /\/support\/anoncreds\/library\.ts'/

/** Files of the layers of `npm test` that have tests which are skipped there where AnonCreds' native library is not. */
const withLibrary = (): string[] =>
  globSync('test/{unit,api,interop,attacks,simulation}/**/*.test.ts').filter((path) =>
    NEEDS_LIBRARY.test(readFileSync(path, 'utf8')),
  )

// Their tests are skipped.
if (folderOnThisMachine() === undefined) console.log(WITHOUT_LIBRARY)

interface Layer {
  /** Files besides those of its folder. */
  more?: string[]
  /** Whether each file has a process of its own. */
  isolate?: boolean
  globalSetup?: string[]
}

const layer = (name: string, { more = [], isolate = false, globalSetup = [] }: Layer = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`, ...more],
    // To load Credo takes a second of processor time: files share a process, and test/support/each-file.ts cleans up between them.
    isolate,
    setupFiles: ['test/support/each-file.ts'],
    globalSetup,
    testTimeout: END,
    hookTimeout: END,
    expect: { poll: { timeout: END } },
  },
})

const STAGE = 'test/support/api/stage.ts'

export default defineConfig({
  test: {
    // One more than there are processors: while one file waits, for a stage to start or a timeout to pass, another works.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      layer('unit'),
      layer('api', { globalSetup: [STAGE] }),
      layer('interop'),
      layer('attacks'),
      layer('simulation', { isolate: true }),
      layer('anoncreds', { more: withLibrary(), globalSetup: ['test/support/anoncreds/nothing-skipped.ts', STAGE] }),
      layer('faults'),
      // A few long files that load no Credo: shared processes would keep one processor waiting for the other.
      layer('property', { isolate: true }),
      layer('bundles', { isolate: true }),
      layer('pages', { globalSetup: [STAGE] }),
      layer('stage', { isolate: true }),
    ],
  },
})
