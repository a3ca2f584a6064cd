/** The layers of tests. `npm test` runs the first ones, in a few minutes, `npm run test:long` the others. */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { folderOnThisMachine, WITHOUT_LIBRARY } from './infra/anoncreds/library-file.ts'
import { LongestFirst } from './test/support/longest-first.ts'

const SECOND = 1000

// Their tests are skipped.
if (folderOnThisMachine() === undefined) console.log(WITHOUT_LIBRARY)

/** `isolate`: whether each file has a process of its own. */
const layer = (name: string, testTimeout: number, { isolate = false, globalSetup = [] as string[] } = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    // To load Credo takes a second of processor time: files share a process, and test/support/each-file.ts cleans up between them.
    isolate,
    setupFiles: ['test/support/each-file.ts'],
    globalSetup,
    testTimeout,
    hookTimeout: Math.max(testTimeout, 30 * SECOND),
  },
})

export default defineConfig({
  test: {
    // One more than there are processors: while one file waits, for a stage to start or a timeout to pass, another works.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      layer('unit', 30 * SECOND),
      layer('api', 30 * SECOND, { globalSetup: ['test/support/api/stage.ts'] }),
      layer('interop', 60 * SECOND),
      layer('attacks', 60 * SECOND),
      layer('simulation', 120 * SECOND, { isolate: true }),
      layer('anoncreds', 60 * SECOND),
      layer('faults', 120 * SECOND),
      // A few long files that load no Credo: shared processes would keep one processor waiting for the other.
      layer('property', 120 * SECOND, { isolate: true }),
      layer('bundles', 60 * SECOND, { isolate: true }),
      layer('pages', 30 * SECOND, { globalSetup: ['test/support/api/stage.ts'] }),
      layer('stage', 60 * SECOND, { isolate: true }),
    ],
  },
})
