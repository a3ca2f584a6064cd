/** The SQLite file of dynoxide: its path, and the index that dynoxide's own reads need. */
import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const NAME = 'dynamodb.sqlite'

/** Linux's shared memory. On a disk each write takes ms, because dynoxide syncs it. */
const MEMORY = '/dev/shm'

/** Containers often have 64 MB of it, which a long run fills. */
const MIN_FREE_BYTES = 2 ** 30

/** Ms to wait for the file's lock, which dynoxide holds during a write. */
const LOCK_TIMEOUT_MS = 10_000

/**
 * For each item written, dynoxide 1.2 asks `_stream_records` for the table's last sequence number, and each GetRecords
 * for those after one. It has no index for either and reads the whole table. A table has one shard, so one index serves
 * both.
 */
const INDEX = `CREATE INDEX IF NOT EXISTS stream_records_by_sequence
  ON _stream_records (table_name, CAST(sequence_number AS INTEGER))`

const temporaryParent = async (): Promise<string> => {
  try {
    await access(MEMORY, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = await statfs(MEMORY)
    return bavail * bsize >= MIN_FREE_BYTES ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

export interface DatabaseFile extends AsyncDisposable {
  path: string
}

/**
 * The file in `dataDir`, or a temporary one. Dispose of it when dynoxide has opened it: a temporary file is then
 * unlinked, as SQLite's own temporary files are, and the operating system deletes it when dynoxide ends.
 */
export const databaseFile = async (dataDir: string | undefined): Promise<DatabaseFile> => {
  if (dataDir !== undefined) return { path: join(dataDir, NAME), [Symbol.asyncDispose]: async () => {} }
  const folder = await mkdtemp(join(await temporaryParent(), 'serverless-agent-'))
  return { path: join(folder, NAME), [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/**
 * Creates the index unless it exists. dynoxide creates its tables before it answers requests; it may be writing
 * meanwhile.
 */
export const indexStream = (path: string): void => {
  using database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS })
  database.exec(INDEX)
}
