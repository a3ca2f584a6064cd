/** Locks the folder DATA_DIR, so that one stage at a time uses it. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { reason, StageFailure, tell } from '../failure.ts'

/** In ms. Longer than a stage may take to end after a signal (5 s): it may be restarted before it has ended. */
const PATIENCE = 8_000

/** Ms between two attempts. */
const PAUSE = 100

/** Undefined: another process has the lock. */
const lockNow = (folder: string): Disposable | undefined => {
  const lock = new DatabaseSync(join(folder, 'lock.sqlite'))
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (reason(error).includes('locked')) return undefined
    throw error
  }
}

/**
 * Creates the folder and locks it: two stages would deliver the same messages twice. The operating system releases the
 * lock when this process ends. If another stage uses the folder, that is reported immediately, and it gets `patience`
 * ms to end. Throws `StageFailure`.
 */
export const lockDataFolder = async (folder: string, patience: number = PATIENCE): Promise<Disposable> => {
  const inUse = new StageFailure(`DATA_DIR=${folder}: another stage uses it`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (let left = patience; ; left -= PAUSE) {
      const lock = lockNow(folder)
      if (lock !== undefined) return lock
      if (left <= 0) throw inUse
      tell(inUse)
      await setTimeout(PAUSE)
    }
  } catch (error) {
    throw error === inUse ? inUse : new StageFailure(`DATA_DIR=${folder}: ${reason(error)}`, error)
  }
}
