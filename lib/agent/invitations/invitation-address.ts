/** Reads the invitation of a URL: from its query (Aries RFC 0434, 0160, 0056), or fetched through the address guard. */
import { follow } from '../../egress/follow.ts'
import { parseBase64, parseJson } from '../../json.ts'

const MAX_REDIRECTS = 3
/** Maximum size of all responses together. */
const MAX_BYTES = 64 * 1024
/** Time limit for all responses together. */
const MAX_MS = 5_000

/** Query parameters that contain an invitation. */
const PARAMETERS = ['oob', 'c_i', 'd_m']

/** Keeps the `+` of base64, which `URLSearchParams` would read as a space. */
const parametersOf = (url: string): URLSearchParams =>
  new URLSearchParams((url.match(/\?([^#]*)/)?.[1] ?? '').replaceAll('+', '%2B'))

const encodedIn = (url: string): string | undefined => {
  const parameters = parametersOf(url)
  return PARAMETERS.map((name) => parameters.get(name)).find((value) => value !== null) ?? undefined
}

/**
 * The invitation that a URL contains or leads to, unvalidated: as text if it is not JSON, undefined if it cannot be
 * read for any reason. A URL, also of a redirect, that contains an invitation is not fetched. /
 */
export const invitationAt = async (url: string): Promise<unknown> => {
  const encoded = encodedIn(url)
  if (encoded !== undefined) return parseBase64(encoded) ?? encoded
  const bounds = { milliseconds: MAX_MS, bytes: MAX_BYTES }
  const outcome = await follow(url, {
    ...{ accept: 'application/json', bounds, redirects: MAX_REDIRECTS },
    mayFollow: (target) => encodedIn(target) === undefined,
  })
  const { status = 0, headers, body = '', failure } = outcome ?? {}
  if (status >= 300 && status < 400) return parseBase64(encodedIn(headers?.location ?? '') ?? '')
  return status === 200 && failure === undefined && bounds.bytes >= 0 ? (parseJson(body) ?? body) : undefined
}
