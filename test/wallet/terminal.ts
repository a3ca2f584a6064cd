/** Output of a wallet to the terminal: texts of other agents must not control it. */

/** Control and bidirectional characters are shown as a replacement character. */
const shown = (line: string): string => line.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\u{FFFD}')

export const tell = (line: string): void => console.log(shown(line))

/** Errors quote texts of other agents. */
export const oneLine = (error: unknown): string =>
  shown((error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' '))
