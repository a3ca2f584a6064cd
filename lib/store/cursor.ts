/** Cursors of lists, opaque to callers: the position to continue after, in base64url. */
import { AgentError } from '../errors.ts'

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`

/** A sort key in order of time: the time, then a part that distinguishes items of the same millisecond. */
const SORT_KEY = String.raw`${TIME}(?:#[\w.:-]{1,128}){1,2}`

/** A position in a list. */
export const LIST_POSITION = new RegExp(`^${SORT_KEY}$`)

/** A position in a replay: its end time, and the sort key of its last event so far. */
export const REPLAY_POSITION = new RegExp(`^${TIME} ${SORT_KEY}$`)

export const toCursor = (position: string): string => Buffer.from(position).toString('base64url')

/**
 * The position in a cursor. It is not signed: the partition comes from the token and the path, so an altered position only leads to another place in
 * the same list. Throws `request.malformed` for a cursor without a position of this form.
 */
export const openCursor = (cursor: string, shape: RegExp): string => {
  const position = Buffer.from(cursor, 'base64url').toString()
  if (toCursor(position) !== cursor || !shape.test(position))
    throw new AgentError('request.malformed', 'the cursor is not one of this list')
  return position
}
