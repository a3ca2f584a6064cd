/** The log: one JSON line an event, for CloudWatch. Callers pass ids and numbers, never contents, tokens or keys. */
import { LEVELS, settings } from './settings.ts'

export type Level = Exclude<(typeof LEVELS)[number], 'silent'>

export interface Fields {
  /** A stable code in dotted lower case, listed in docs/trouble.md. */
  event: `${string}.${string}`
  [field: string]: unknown
}

/** `message` is for people, and may change. */
export const log = (level: Level, message: string, fields: Fields): void => {
  if (LEVELS.indexOf(level) >= LEVELS.indexOf(settings().LOG_LEVEL)) write({ level, message, ...fields })
}

/** A line with metrics: on Lambda it is written whatever `LOG_LEVEL` says, except `silent`. */
export const logAlways = (level: Level, message: string, fields: Fields): void => {
  const { LOG_LEVEL, AWS_LAMBDA_LOG_FORMAT } = settings()
  if (AWS_LAMBDA_LOG_FORMAT === undefined) log(level, message, fields)
  else if (LOG_LEVEL !== 'silent') write({ level, message, ...fields })
}

/**
 * With Lambda's log format JSON, `console.log` would wrap the line once more, and CloudWatch would find no metric in it.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Libraries.html
 */
const write = (line: object): void => {
  const text = JSON.stringify(line)
  if (settings().AWS_LAMBDA_LOG_FORMAT === 'JSON') process.stdout.write(`${text}\n`)
  else console.log(text)
}
