/** Reads a document from an untrusted host and follows its redirects, within limits of time and size. */
import { settings } from '../settings.ts'
import { get, isRedirect, type PostOutcome } from './post.ts'

/** The remaining limits, for all documents that are read together. */
export interface ReadBounds {
  milliseconds: number
  bytes: number
}

interface Reading {
  accept: string
  /** Reduced by each response. Below zero bytes, the last response was cut off. */
  bounds: ReadBounds
  /** Maximum number of redirects that are followed. */
  redirects?: number
  /** Whether to follow a redirect to this address. */
  mayFollow?: (url: string) => boolean
}

/**
 * The last response; a redirect if it was not followed. Undefined if the limits are used up. Each address is checked by
 * the address guard. Never throws.
 */
export const follow = async (url: string, reading: Reading): Promise<PostOutcome | undefined> => {
  const { accept, bounds, redirects = 0, mayFollow = () => true } = reading
  if (bounds.milliseconds <= 0 || bounds.bytes < 0) return undefined
  const outcome = await get({
    url,
    headers: { accept },
    policy: { local: settings().LOCAL_STAGE },
    limits: {
      connectMs: Math.min(2_000, bounds.milliseconds),
      attemptMs: bounds.milliseconds,
      responseBytes: bounds.bytes + 1,
    },
  })
  bounds.milliseconds -= outcome.milliseconds
  bounds.bytes -= outcome.size ?? 0
  const next = redirects > 0 ? redirectOf(outcome, url) : undefined
  return next !== undefined && mayFollow(next) ? follow(next, { ...reading, redirects: redirects - 1 }) : outcome
}

/** The address that a response redirects to; undefined if it is not a redirect, or its address is not a URL. */
export const redirectOf = (outcome: PostOutcome, from: string): string | undefined => {
  const { location = '' } = outcome.headers
  return isRedirect(outcome) && URL.canParse(location, from) ? new URL(location, from).href : undefined
}
