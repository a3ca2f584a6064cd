/** Reads documents at addresses that a caller names, through the address guard and within bounds for all of them. */
import { get } from '../../../egress/post.ts'
import { settings } from '../../../settings.ts'

/** What is left for all documents that are read together. */
export interface ReadBounds {
  documents: number
  milliseconds: number
  bytes: number
}

/** w3id.org redirects to the documents. */
const MAX_REDIRECTS = 3

/**
 * The text at an address; empty if the host says that there is none (404, 410). Undefined if it can't be read: no answer, any other status, refused by
 * the guard, or beyond the bounds. Never throws.
 */
export const readDocument = async (url: string, bounds: ReadBounds): Promise<string | undefined> => {
  bounds.documents--
  return bounds.documents < 0 ? undefined : follow(url, bounds, MAX_REDIRECTS)
}

const follow = async (url: string, bounds: ReadBounds, redirects: number): Promise<string | undefined> => {
  if (bounds.milliseconds <= 0 || bounds.bytes < 0) return undefined
  const { status, headers, bytes, body, failure, milliseconds } = await get({
    url,
    headers: { accept: 'application/ld+json, application/json' },
    policy: { local: settings().LOCAL_STAGE },
    limits: {
      connectMs: Math.min(2_000, bounds.milliseconds),
      attemptMs: bounds.milliseconds,
      responseBytes: bounds.bytes + 1,
    },
  })
  bounds.milliseconds -= milliseconds
  bounds.bytes -= bytes?.length ?? 0
  if (status === undefined || failure !== undefined || bounds.bytes < 0) return undefined
  if (status === 404 || status === 410) return ''
  if (status === 200) return body
  const next = status >= 300 && status < 400 && redirects > 0 ? secureTarget(headers.location, url) : undefined
  return next === undefined ? undefined : follow(next, bounds, redirects - 1)
}

/** Where a redirect leads, if that is https. */
const secureTarget = (location: string | undefined, from: string): string | undefined => {
  if (location === undefined || !URL.canParse(location, from)) return undefined
  const { protocol, href } = new URL(location, from)
  return protocol === 'https:' ? href : undefined
}
