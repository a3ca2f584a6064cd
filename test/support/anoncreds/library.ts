/** `describe` and `test` for AnonCreds: without the native library they are skipped, and their name says why. */
import { describe, test } from 'vitest'
import { folderOnThisMachine } from '../../../infra/anoncreds/library-file.ts'

/** Whether `npm run anoncreds` has installed it. */
export const hasLibrary = folderOnThisMachine() !== undefined

const withReason = (name: string): string => (hasLibrary ? name : `${name} (skipped: it needs \`npm run anoncreds\`)`)

/**
 * `describe` of what needs the library.
 * @example describeWithLibrary('an offer of AnonCreds', () => { test('...', async () => { ... }) })
 */
export const describeWithLibrary = (name: string, tests: () => void): void => {
  describe.skipIf(!hasLibrary)(withReason(name), tests)
}

/** `test` of what needs the library, among others that do not. */
export const testWithLibrary = (name: string, run: () => Promise<void>): void =>
  test.skipIf(!hasLibrary)(withReason(name), run)
