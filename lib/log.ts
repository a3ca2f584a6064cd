/** The log: one JSON line an event, for CloudWatch. Callers pass ids and numbers, never contents, tokens or keys. */
import { settings } from './settings.ts'

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
type Level = Exclude<(typeof LEVELS)[number], 'silent'>

export const log = (level: Level, message: string, fields: Record<string, unknown> = {}): void => {
  if (LEVELS.indexOf(level) < LEVELS.indexOf(settings().LOG_LEVEL)) return
  console.log(JSON.stringify({ level, message, ...fields }))
}
