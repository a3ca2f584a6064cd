/** Notices that npm, which runs this process as one of its scripts, has ended. */
import { setTimeout } from 'node:timers/promises'

/** Ms between two looks. */
const LOOK_MS = 200

/** Told to end, npm passes the signal on to its shell, which ends by it and tells nobody: the process is then a child of somebody else. */
export const npmEnded = async (): Promise<void> => {
  const { ppid } = process
  while (process.ppid === ppid) await setTimeout(LOOK_MS, undefined, { ref: false })
}
