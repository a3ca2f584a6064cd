/** The log: one JSON line an event, for CloudWatch. Callers pass ids and numbers, never contents, tokens or keys. */
import { settings } from './settings.ts'

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
type Level = Exclude<(typeof LEVELS)[number], 'silent'>

interface Fields {
  /** What to search for: a stable code in dotted lower case, which docs/operations.md lists. */
  event: `${string}.${string}`
  [field: string]: unknown
}

/** `message` is for people, and may change. */
export const log = (level: Level, message: string, fields: Fields): void => {
  if (LEVELS.indexOf(level) < LEVELS.indexOf(settings().LOG_LEVEL)) return
  console.log(JSON.stringify({ level, message, ...fields }))
}
