/** A failure of the local stage that its user can mend: the message is one line that says what and how. */

export class StageFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'StageFailure'
  }
}

/** What an error of the operating system or of a package says, in one line. */
export const reason = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n', 1)[0] ?? ''
}

/** The code of an error of the operating system, such as `EADDRINUSE`. */
export const systemCode = (error: unknown): string | undefined => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
