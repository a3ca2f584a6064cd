/** Reads the invitation of a URL: from its query (Aries RFC 0434, 0160, 0056), or fetched through the address guard. */
import * as v from 'valibot'
import { get } from '../../egress/post.ts'
import { parseBase64 } from '../../json.ts'
import { InvitationMessage, ServiceMessage } from '../../records/invitation-message.ts'
import { settings } from '../../settings.ts'

const MAX_REDIRECTS = 3
/** Maximum size of a response. */
const MAX_BYTES = 64 * 1024
/** Time limit for all responses together. */
const MAX_MS = 5_000

export type AddressedInvitation = v.InferOutput<typeof AddressedInvitation>

const AddressedInvitation = v.union([InvitationMessage, ServiceMessage])

/** Query parameters that hold an invitation. */
const PARAMETERS = ['oob', 'c_i', 'd_m']

const toInvitation = (json: unknown): AddressedInvitation | undefined => {
  const read = v.safeParse(AddressedInvitation, json)
  return read.success ? read.output : undefined
}

/** Keeps the `+` of base64, which `URLSearchParams` would read as a space. */
const parametersOf = (url: string): URLSearchParams =>
  new URLSearchParams((url.match(/\?([^#]*)/)?.[1] ?? '').replaceAll('+', '%2B'))

const encodedIn = (url: string): string | undefined => {
  const parameters = parametersOf(url)
  return PARAMETERS.map((name) => parameters.get(name)).find((value) => value !== null) ?? undefined
}

/**
 * The invitation of a URL; undefined if there is none, for whatever reason. Nothing is fetched if the URL itself
 * contains it. Each redirect is checked by the address guard.
 */
export const invitationAt = (url: string): Promise<AddressedInvitation | undefined> =>
  follow(url, { redirects: MAX_REDIRECTS, milliseconds: MAX_MS })

const follow = async (
  url: string,
  { redirects, milliseconds }: { redirects: number; milliseconds: number },
): Promise<AddressedInvitation | undefined> => {
  const encoded = encodedIn(url)
  if (encoded !== undefined) return toInvitation(parseBase64(encoded))
  if (milliseconds <= 0) return undefined
  const outcome = await get({
    url,
    headers: { accept: 'application/json' },
    policy: { local: settings().LOCAL_STAGE },
    limits: { connectMs: Math.min(2_000, milliseconds), attemptMs: milliseconds, responseBytes: MAX_BYTES + 1 },
  })
  const { status = 0, headers, bytes, body, failure } = outcome
  if (status >= 300 && status < 400 && headers.location !== undefined) {
    if (redirects === 0 || !URL.canParse(headers.location, url)) return undefined
    const next = new URL(headers.location, url).href
    return follow(next, { redirects: redirects - 1, milliseconds: milliseconds - outcome.milliseconds })
  }
  if (status !== 200 || failure !== undefined || (bytes?.length ?? 0) > MAX_BYTES) return undefined
  return toInvitation(parseJson(body))
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
