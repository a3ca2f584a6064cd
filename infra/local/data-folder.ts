/** Locks the folder DATA_DIR, so that one stage at a time uses it. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { reason, StageFailure } from '../failure.ts'

/** Longer than a stage that was told to end may take (5 s), in ms: whoever starts it again may not have seen its end. */
const PATIENCE = 8_000

/**
 * Creates the folder and locks it: two stages would deliver the same messages twice. The operating system releases the lock when this process
 * ends. A stage that uses the folder gets `patience` ms to end. Throws `StageFailure`.
 */
export const lockDataFolder = async (folder: string, patience: number = PATIENCE): Promise<Disposable> => {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const lock = new DatabaseSync(join(folder, 'lock.sqlite'), { timeout: patience })
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    const locked = reason(error).includes('locked')
    throw new StageFailure(`DATA_DIR=${folder}: ${locked ? 'another stage uses it' : reason(error)}`, error)
  }
}
