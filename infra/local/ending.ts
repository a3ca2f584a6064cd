/** How the process of `npm start` ends: with 0 after a signal, otherwise with 1 and a line with the reason. */
import { once } from 'node:events'
import { StageFailure, tell } from '../failure.ts'
import { npmEnded } from './npm-ended.ts'

/** The listener stays: modules of the CLI end the process themselves if there is no other listener. */
const signalled = (signal: NodeJS.Signals): Promise<void> =>
  new Promise((resolve) => {
    process.on(signal, () => resolve())
  })

/**
 * Resolves when the stage is to end: after Ctrl-C, `kill`, or the end of the program that started it, npm or one with
 * an IPC channel. It listens from the beginning, because a start takes seconds, and a signal may arrive meanwhile.
 */
export const endWanted: Promise<unknown> = Promise.race([
  signalled('SIGINT'),
  signalled('SIGTERM'),
  ...(process.env.npm_lifecycle_event === 'start' ? [npmEnded()] : []),
  ...(process.connected ? [once(process, 'disconnect')] : []),
])

/** Waits for a part of the start. Ends the process if that is to end before, or if the part fails. */
export const orEnd = async <T>(part: Promise<T>): Promise<T> => {
  try {
    const done = await Promise.race([part.then((value) => ({ value })), endWanted.then(() => undefined)])
    return done === undefined ? process.exit(0) : done.value
  } catch (error) {
    return endFailed(error)
  }
}

export const endFailed = (error: unknown): never => {
  if (error instanceof StageFailure) tell(error)
  else console.error(error)
  return process.exit(1)
}
