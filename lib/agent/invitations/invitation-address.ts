/** Reads the invitation of a URL: from its query (Aries RFC 0434, 0160, 0056), or fetched through the address guard. */
import * as v from 'valibot'
import { follow } from '../../egress/follow.ts'
import { parseBase64, parseJson } from '../../json.ts'
import { InvitationMessage, ServiceMessage } from '../../records/invitation-message.ts'

const MAX_REDIRECTS = 3
/** Maximum size of all responses together. */
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
 * The invitation of a URL; undefined if there is none, for whatever reason. Nothing is fetched from a URL, of a redirect
 * too, that contains it.
 */
export const invitationAt = async (url: string): Promise<AddressedInvitation | undefined> => {
  const encoded = encodedIn(url)
  if (encoded !== undefined) return toInvitation(parseBase64(encoded))
  const bounds = { milliseconds: MAX_MS, bytes: MAX_BYTES }
  const outcome = await follow(url, {
    ...{ accept: 'application/json', bounds, redirects: MAX_REDIRECTS },
    mayFollow: (target) => encodedIn(target) === undefined,
  })
  const { status = 0, headers, body = '', failure } = outcome ?? {}
  if (status >= 300 && status < 400) return toInvitation(parseBase64(encodedIn(headers?.location ?? '') ?? ''))
  return status === 200 && failure === undefined && bounds.bytes >= 0 ? toInvitation(parseJson(body)) : undefined
}
