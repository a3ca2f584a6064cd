/** The file of AnonCreds' native library: its folder, and the expected hash. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasLibrary } from '../../lib/anoncreds-library.ts'

/** The name that the binding looks for on Linux. */
export const LIBRARY_NAME = 'libanoncreds.so'

/** The library's SHA-256 in hexadecimal, by processor of Linux: anoncreds-rs 0.2.3, from its manylinux2014 wheels. */
const DIGESTS = {
  x64: '2bac97956e80a33bead082c2001893384142c215fe0b612f84dbb19bdc888806',
  arm64: '5c2e742e54d513ebea092109a99b63c674fdd7edcf2b69df5a0b37cd68039398',
}

export type Architecture = keyof typeof DIGESTS

export const isArchitecture = (name: string): name is Architecture => Object.hasOwn(DIGESTS, name)

/** Absolute. */
export const libraryFolder = (architecture: string): string =>
  fileURLToPath(new URL(`../../.anoncreds/${architecture}`, import.meta.url))

/** Whether these bytes are the library for it. */
export const isLibrary = (bytes: Uint8Array, architecture: Architecture): boolean =>
  createHash('sha256').update(bytes).digest('hex') === DIGESTS[architecture]

/** The library's bytes; undefined if there is none, or its hash differs. */
export const readLibrary = (
  architecture: Architecture,
  folder: string = libraryFolder(architecture),
): Uint8Array | undefined => {
  const path = join(folder, LIBRARY_NAME)
  if (!existsSync(path)) return undefined
  const bytes = readFileSync(path)
  return isLibrary(bytes, architecture) ? bytes : undefined
}

/** The library for functions on `architecture`, as `readLibrary`. */
export const libraryFor = (architecture: string): Uint8Array | undefined =>
  isArchitecture(architecture) ? readLibrary(architecture) : undefined

/**
 * The folder of this machine's library: that of the environment, else that of `npm run anoncreds`; undefined if it is
 * in neither.
 */
export const folderOnThisMachine = (): string | undefined => {
  const folder = process.env.LIB_ANONCREDS_PATH || libraryFolder(process.arch)
  return hasLibrary(folder) ? folder : undefined
}

/** The line for a stage without it. */
export const WITHOUT_LIBRARY = 'AnonCreds is off: its native library is missing. npm run anoncreds installs it.'
