/** Brings AnonCreds' native library into its folder: the first source whose bytes are the known ones. */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reason, StageFailure } from '../failure.ts'
import { type Architecture, isLibrary, LIBRARY_NAME, libraryFolder, readLibrary } from './library-file.ts'
import { LIBRARY_SOURCES, type LibrarySource } from './library-sources.ts'

/** A failed program's last line says most; the first one of the error is the command. */
const failureOf = (error: unknown): string => {
  const stderr = error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : ''
  const cause = stderr.match(/^(?:.*Error|ERROR): .*$/m)?.[0] ?? reason(error)
  return cause.trim().slice(0, 200)
}

/** Checked: another build of the same release is refused, too. */
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

/** Whole or not at all: a stage may start at this moment. */
const place = async (bytes: Uint8Array, folder: string): Promise<void> => {
  const path = join(folder, LIBRARY_NAME)
  await mkdir(folder, { recursive: true })
  await writeFile(`${path}.${process.pid}`, bytes)
  await rename(`${path}.${process.pid}`, path)
}

/** Returns what was done, in a line. Throws `StageFailure` with a line on each source where none works. */
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
  throw new StageFailure(`AnonCreds' library for ${architecture} could not be brought (${failures.join('; ')})`)
}
