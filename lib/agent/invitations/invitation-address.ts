/** Reads the invitation of a URL: from its query (Aries RFC 0434, 0160, 0056), or fetched through the address guard. */
import { follow } from '../../egress/follow.ts'
import { parseBase64, parseJson } from '../../json.ts'

const MAX_REDIRECTS = 3
/** Maximum size of all responses together. */
const MAX_BYTES = 64 * 1024
/** Time limit for all responses together. */
const MAX_MS = 5_000

/** Query parameters that hold an invitation. */
const PARAMETERS = ['oob', 'c_i', 'd_m']

/** Keeps the `+` of base64, which `URLSearchParams` would read as a space. */
const parametersOf = (url: string): URLSearchParams =>
  new URLSearchParams((url.match(/\?([^#]*)/)?.[1] ?? '').replaceAll('+', '%2B'))

const encodedIn = (url: string): string | undefined => {
  const parameters = parametersOf(url)
  return PARAMETERS.map((name) => parameters.get(name)).find((value) => value !== null) ?? undefined
}

/**
 * What a URL contains or leads to, which should be an invitation: as text if it is not JSON, undefined if nothing can be
 * read, for whatever reason. Nothing is fetched from a URL, of a redirect too, that contains it.
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
