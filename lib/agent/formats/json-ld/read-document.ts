/** Fetches documents at addresses that a caller names, through the address guard, within one budget for all of them. */
import { follow, type ReadBounds } from '../../../egress/follow.ts'

/** The remaining budget of all documents that are read together. */
export interface DocumentBounds extends ReadBounds {
  documents: number
}

/** w3id.org redirects to the documents. */
const MAX_REDIRECTS = 3

/**
 * The text at an address; empty for status 404 or 410. Undefined if it cannot be read: no response, another status,
 * rejected by the guard, or beyond the budget. Redirects must lead to https. Never throws.
 */
export const readDocument = async (url: string, bounds: DocumentBounds): Promise<string | undefined> => {
  if (--bounds.documents < 0) return undefined
  const outcome = await follow(url, {
    ...{ accept: 'application/ld+json, application/json', bounds, redirects: MAX_REDIRECTS },
    mayFollow: (target) => target.startsWith('https:'),
  })
  if (outcome === undefined || outcome.failure !== undefined || bounds.bytes < 0) return undefined
  if (outcome.status === 404 || outcome.status === 410) return ''
  return outcome.status === 200 ? outcome.body : undefined
}
