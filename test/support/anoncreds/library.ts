/** What tests of AnonCreds begin with: without the native library they are skipped, and their name says why. */
import { describe } from 'vitest'
import { folderOnThisMachine } from '../../../infra/anoncreds/library-file.ts'

/** Whether `npm run anoncreds` has brought it. */
export const hasLibrary = folderOnThisMachine() !== undefined

/**
 * `describe` of what needs the library.
 * @example describeWithLibrary('an offer of AnonCreds', () => { test('...', async () => { ... }) })
 */
export const describeWithLibrary = (name: string, tests: () => void): void => {
  if (hasLibrary) describe(name, tests)
  else describe.skip(`${name} (skipped: it needs \`npm run anoncreds\`)`, tests)
}
