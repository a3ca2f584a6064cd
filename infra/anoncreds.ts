/**
 * `npm run anoncreds [-- --arch x64|arm64]`: downloads AnonCreds' native library, for this machine's processor or
 * another one.
 */
import { parseArgs } from 'node:util'
import { bringLibrary } from './anoncreds/bring-library.ts'
import { type Architecture, isArchitecture } from './anoncreds/library-file.ts'
import { reason, StageFailure } from './failure.ts'

/** Reads the command line. */
export const architectureOf = (args: string[]): Architecture => {
  const { arch } = parseArgs({ args, options: { arch: { type: 'string', default: process.arch } } }).values
  if (!isArchitecture(arch)) throw new StageFailure(`--arch is x64 or arm64, not ${arch}`)
  return arch
}

if (import.meta.main) {
  try {
    console.log(await bringLibrary(architectureOf(process.argv.slice(2))))
  } catch (error) {
    console.error(reason(error))
    process.exit(1)
  }
}
