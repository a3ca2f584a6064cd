/** Reads documents at addresses that a caller names, through the address guard and within bounds for all of them. */
import { follow, type ReadBounds } from '../../../egress/follow.ts'

/** What is left for all documents that are read together. */
export interface DocumentBounds extends ReadBounds {
  documents: number
}

/** w3id.org redirects to the documents. */
const MAX_REDIRECTS = 3

/**
 * The text at an address; empty if the host says that there is none (404, 410). Undefined if it can't be read: no
 * response, any other status, rejected by the guard, or beyond the bounds. Redirects have to lead to https. Never
 * throws.
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
