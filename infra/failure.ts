/** A failure that the user of a command can fix: the message is one line with the reason and what to do. */

export class StageFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'StageFailure'
  }
}

/** The first line of an error's message. */
export const reason = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n', 1)[0] ?? ''
}

/** The code of an error of the operating system, such as `EADDRINUSE`. */
export const systemCode = (error: unknown): string | undefined => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

const reported = new WeakSet<StageFailure>()

/** Writes the line of a failure, once: it may be reported before it is thrown. */
export const tell = (failure: StageFailure): void => {
  if (!reported.has(failure)) console.error(failure.message)
  reported.add(failure)
}
