/** Stores the position in a stream, so that a stage that starts again continues there. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import type { Place } from './stream-records.ts'

export interface StreamPosition {
  /** The last change that was handled; undefined: none. */
  read(): Promise<Place | undefined>
  write(place: Place): Promise<void>
}

const Stored = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ streamArn: v.string(), shardId: v.string(), sequenceNumber: v.string() }),
)

/**
 * The position of a function, in a file of `dataDir`; the stream of a new table starts from its beginning. Without a
 * folder it is not stored.
 */
export const streamPosition = (dataDir: string | undefined, functionKey: string, streamArn: string): StreamPosition => {
  if (dataDir === undefined) return { read: async () => undefined, write: async () => {} }
  const path = join(dataDir, `${functionKey}-position.json`)
  return {
    read: async () => {
      const text = await readFile(path, 'utf8').catch(() => '')
      const result = v.safeParse(Stored, text)
      return result.success && result.output.streamArn === streamArn ? result.output : undefined
    },
    write: async (place) => {
      await writeFile(`${path}.new`, JSON.stringify({ streamArn, ...place }))
      await rename(`${path}.new`, path)
    },
  }
}
