/** Waits for the end of npm, which runs this process as a script. */
import { setTimeout } from 'node:timers/promises'

/** Ms between two checks. */
const LOOK_MS = 200

/** The process that started this one. It may end while this one still loads its modules. */
const starter = process.ppid

/**
 * npm passes a signal on only to its shell, which ends without telling this process. Then this process has another
 * parent.
 */
export const npmEnded = async (): Promise<void> => {
  while (process.ppid === starter) await setTimeout(LOOK_MS, undefined, { ref: false })
}
