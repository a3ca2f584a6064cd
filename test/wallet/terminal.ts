/** What a wallet writes to the terminal: texts of others must not steer it. */

/** Control characters and those that turn text around are shown as a sign for them. */
const shown = (line: string): string => line.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\u{FFFD}')

export const tell = (line: string): void => console.log(shown(line))

/** Errors quote what others wrote. */
export const oneLine = (error: unknown): string =>
  shown((error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' '))
