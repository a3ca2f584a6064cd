/** Events for the endpoints of organizations: their types, their maximum size, and which fields of a record a thin event has. */

export const EVENT_TYPES = [
  'connection.state_changed',
  'credential.state_changed',
  'proof.state_changed',
  'question_answer.state_changed',
  'credential_definition.state_changed',
  'basic_message.received',
  'basic_message.sent',
  'basic_message.delivered',
  'basic_message.failed',
  'endpoint.disabled',
  'endpoint.test',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/**
 * Bytes of a body (UTF-8); a larger record is to be fetched. Standard Webhooks 1.0.0, "Payload size", asks for less
 * than 20 KB.
 */
export const MAX_BODY_BYTES = 20 * 1024

/** The fields of a record that a thin event has: no text that somebody wrote, no names, no DIDs. */
const ID_FIELDS = ['id', 'state', 'connectionId', 'outOfBandId', 'threadId', 'kind', 'status']

/** The maximum length of an id: the other agent chooses thread ids. */
const MAX_ID_CHARACTERS = 256

/** The ids and the state of a record or an endpoint. */
export const idsOf = (record: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    ID_FIELDS.flatMap((name) => {
      const value = record[name]
      return typeof value === 'string' && value.length <= MAX_ID_CHARACTERS ? [[name, value]] : []
    }),
  )
