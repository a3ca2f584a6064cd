/** The answer of a list: a bare array, and a `Link` header when there is more (RFC 8288). */
import { settings } from '../settings.ts'
import { type Answer, answer } from './request.ts'

export interface PageLinks {
  /** The operation's path, with its parameters filled in. */
  path: string
  /** The query that this page answered. */
  query: Readonly<Record<string, string | number | undefined>>
  /** Cursor of the next page. */
  next: string | undefined
}

export const pageOf = (items: object[], { path, query, next }: PageLinks): Answer => {
  if (next === undefined) return answer(items)
  const url = new URL(settings().PUBLIC_URL + path)
  for (const [name, value] of Object.entries({ ...query, cursor: next }))
    if (value !== undefined) url.searchParams.set(name, String(value))
  return answer(items, { headers: { link: `<${url}>; rel="next"` } })
}
