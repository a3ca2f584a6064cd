/** A failure that whoever runs a command can mend: the message is one line that says what is wrong and what to do. */

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

const told = new WeakSet<StageFailure>()

/** Writes the line of a failure, once: it may be told before it is thrown. */
export const tell = (failure: StageFailure): void => {
  if (!told.has(failure)) console.error(failure.message)
  told.add(failure)
}
