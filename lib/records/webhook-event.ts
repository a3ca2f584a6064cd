/** Webhook events: the kinds of endpoints that receive them, their maximum size, and the fields of thin events. */

/** An organization has one active endpoint of each kind. Notification endpoints receive thin events only. */
export const ENDPOINT_KINDS = ['notification', 'webhook'] as const
export type EndpointKind = (typeof ENDPOINT_KINDS)[number]

/**
 * Maximum size of a body in bytes (UTF-8); an event of a larger record is thin. Standard Webhooks 1.0.0, "Payload
 * size", asks for less than 20 KB.
 */
export const MAX_BODY_BYTES = 20 * 1024

/** Fields of a thin event: ids and states only, no free text, names or DIDs. */
export const ID_FIELDS = ['id', 'state', 'connectionId', 'outOfBandId', 'threadId', 'kind', 'status']

/** Maximum length of an id in characters: the other agent chooses thread ids. */
const MAX_ID_CHARACTERS = 256

/** The ids and the state of a record or an endpoint. */
export const idsOf = (record: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    ID_FIELDS.flatMap((name) => {
      const value = record[name]
      return typeof value === 'string' && value.length <= MAX_ID_CHARACTERS ? [[name, value]] : []
    }),
  )
