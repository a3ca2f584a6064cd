/**
 * Setup of each file of tests. The files of a layer share a process, since to load Credo takes a second of processor time: the
 * packages stay loaded, the modules of the service and of the tests are new for each file, and the environment is as it was.
 */
// Before any test imports Credo's AnonCreds, which copies the library's name when it is imported.
import '../../lib/agent/formats/anoncreds/library.ts'

import { afterAll, vi } from 'vitest'
import './environment.ts'

vi.useRealTimers()
vi.resetModules()

const before = { ...process.env }

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})
