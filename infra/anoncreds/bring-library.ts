/** Downloads AnonCreds' native library into its folder, from the first source with the known bytes. */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reason, StageFailure } from '../failure.ts'
import { type Architecture, isLibrary, LIBRARY_NAME, libraryFolder, readLibrary } from './library-file.ts'
import { LIBRARY_SOURCES, type LibrarySource } from './library-sources.ts'

/** The last line of a failed program's output; the first line of the error is only the command. */
const failureOf = (error: unknown): string => {
  const stderr = error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : ''
  const cause = stderr.match(/^(?:.*Error|ERROR): .*$/m)?.[0] ?? reason(error)
  return cause.trim().slice(0, 200)
}

/** Checks the bytes: another build of the same release is rejected, too. */
const bringFrom = async (source: LibrarySource, architecture: Architecture): Promise<Uint8Array> => {
  const folder = await mkdtemp(join(tmpdir(), 'anoncreds-'))
  try {
    const bytes = await source.bring(architecture, folder)
    if (!isLibrary(bytes, architecture)) throw new Error('its SHA-256 is not the known one')
    return bytes
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes it atomically, because a stage may start at this moment. */
const place = async (bytes: Uint8Array, folder: string): Promise<void> => {
  const path = join(folder, LIBRARY_NAME)
  await mkdir(folder, { recursive: true })
  await writeFile(`${path}.${process.pid}`, bytes)
  await rename(`${path}.${process.pid}`, path)
}

/** Returns a line that says what was done. Throws `StageFailure` with a line for each source if none works. */
export const bringLibrary = async (
  architecture: Architecture,
  folder: string = libraryFolder(architecture),
  sources: LibrarySource[] = LIBRARY_SOURCES,
): Promise<string> => {
  if (readLibrary(architecture, folder) !== undefined) return `AnonCreds' library is there: ${folder}`
  const failures: string[] = []
  for (const source of sources)
    try {
      await place(await bringFrom(source, architecture), folder)
      return `AnonCreds' library, from ${source.name}, its SHA-256 checked: ${folder}`
    } catch (error) {
      failures.push(`${source.name}: ${failureOf(error)}`)
    }
  throw new StageFailure(`AnonCreds' library for ${architecture} could not be downloaded (${failures.join('; ')})`)
}
