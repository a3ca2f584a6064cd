/** Cursors of lists, opaque to callers: the position to go on after, in base64url. */
import { AgentError } from '../errors.ts'

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`

/** A sort key of a list in order of time: the time, then what distinguishes items of the same millisecond. */
const SORT_KEY = String.raw`${TIME}(?:#[\w.:-]{1,128}){1,2}`

/** A position in a list. */
export const LIST_POSITION = new RegExp(`^${SORT_KEY}$`)

/** A position in a replay: the time that it ends at, and the sort key of the last event so far. */
export const REPLAY_POSITION = new RegExp(`^${TIME} ${SORT_KEY}$`)

export const toCursor = (position: string): string => Buffer.from(position).toString('base64url')

/**
 * The position in a cursor. It is not signed: the partition comes from the token and the path, so an altered position is another place in
 * the same list. Throws `request.malformed` for a cursor that holds no position of this shape.
 */
export const openCursor = (cursor: string, shape: RegExp): string => {
  const position = Buffer.from(cursor, 'base64url').toString()
  if (toCursor(position) !== cursor || !shape.test(position))
    throw new AgentError('request.malformed', 'the cursor is not one of this list')
  return position
}
