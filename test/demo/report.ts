/** The demo's lines on the screen: each step with its request and a shortened answer. */
import { inspect, styleText } from 'node:util'
import type { Played } from './step.ts'

/** Deeper values and the rest of long texts and lists are left out, and lines after the last. */
const SHORT = { depth: 1, maxStringLength: 60, maxArrayLength: 4, breakLength: 116, compact: 3 }
const LINES = 8
const INDENT = '     '

/** What a step has picked of an answer is shown in full depth. */
const PICKED_DEPTH = 4

const shorten = (value: unknown, depth: number = SHORT.depth): string => {
  const lines = inspect(value, { ...SHORT, depth, colors: process.stdout.hasColors?.() ?? false }).split('\n')
  const left = lines.length - LINES
  return [...lines.slice(0, LINES), ...(left > 0 ? [`... ${left} more lines`] : [])]
    .map((line) => INDENT + line)
    .join('\n')
}

export const tellTitle = (number: number, title: string): void =>
  console.log(`\n${styleText('bold', `${String(number).padStart(2)}. ${title}`)}`)

export const tellPlayed = ({ asked, body, status, answer, shown }: Played, milliseconds: number): void => {
  console.log(`${INDENT}${styleText('cyan', asked)}`)
  if (body !== undefined) console.log(shorten(body))
  console.log(`${INDENT}${styleText('green', `${status ?? 'done'}`)}, ${Math.round(milliseconds)} ms`)
  if (shown === undefined) console.log(shorten(answer))
  else if (Object.keys(Object(shown)).length > 0) console.log(shorten(shown, PICKED_DEPTH))
}

export const tellFailure = (error: unknown): void =>
  console.log(`${INDENT}${styleText('red', 'failed')}: ${error instanceof Error ? error.message : String(error)}`)
