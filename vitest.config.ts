/** The layers of tests: units are quick and touch no network beyond loopback; the others run the service. */
import { defineConfig } from 'vitest/config'

const SECOND = 1000

const layer = (name: string, testTimeout: number, globalSetup: string[] = []) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    // To load Credo takes a second of processor time: the files of a layer share a process, and test/support/environment.ts cleans up between them.
    isolate: false,
    setupFiles: ['test/support/environment.ts'],
    globalSetup,
    testTimeout,
    hookTimeout: Math.max(testTimeout, 30 * SECOND),
  },
})

export default defineConfig({
  test: {
    // By default vitest leaves a processor to itself: on two, files would run one after the other.
    maxWorkers: '100%',
    projects: [
      layer('unit', 30 * SECOND),
      layer('api', 30 * SECOND, ['test/support/api/stage.ts']),
      layer('interop', 60 * SECOND),
      layer('attacks', 60 * SECOND),
      layer('property', 120 * SECOND),
      layer('faults', 120 * SECOND),
      layer('stage', 60 * SECOND),
      layer('simulation', 120 * SECOND),
    ],
  },
})
