/** How far a stream was worked off, so that a stage that starts again goes on from there. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import type { Place } from './stream-records.ts'

export interface StreamPosition {
  /** The last change that is done with; undefined: none is. */
  read(): Promise<Place | undefined>
  write(place: Place): Promise<void>
}

const Stored = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ streamArn: v.string(), shardId: v.string(), sequenceNumber: v.string() }),
)

/** Of a function, in a file of `dataDir`; a new table's stream starts anew. Without a folder nothing is kept, as nothing of the stream is. */
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
