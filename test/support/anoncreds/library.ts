/** What tests of AnonCreds begin with: without the native library they are skipped, and their name says why. */
import { describe, test } from 'vitest'
import { folderOnThisMachine } from '../../../infra/anoncreds/library-file.ts'

/** Whether `npm run anoncreds` has brought it. */
export const hasLibrary = folderOnThisMachine() !== undefined

const withReason = (name: string): string => `${name} (skipped: it needs \`npm run anoncreds\`)`

/**
 * `describe` of what needs the library.
 * @example describeWithLibrary('an offer of AnonCreds', () => { test('...', async () => { ... }) })
 */
export const describeWithLibrary = (name: string, tests: () => void): void => {
  if (hasLibrary) describe(name, tests)
  else describe.skip(withReason(name), tests)
}

/** `test` of what needs the library, among others that do not. `timeout` in ms. */
export const testWithLibrary = (name: string, run: () => Promise<void>, timeout?: number): void => {
  if (hasLibrary) test(name, run, timeout)
  else test.skip(withReason(name), run)
}
