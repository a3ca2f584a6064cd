/** Waits for the end of npm, which runs this process as a script. */
import { setTimeout } from 'node:timers/promises'

/** Ms between two checks. */
const LOOK_MS = 200

/** npm passes a signal on only to its shell, which ends without telling this process. Then this process has another parent. */
export const npmEnded = async (): Promise<void> => {
  const { ppid } = process
  while (process.ppid === ppid) await setTimeout(LOOK_MS, undefined, { ref: false })
}
