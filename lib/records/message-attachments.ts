/** Attachments of other agents' messages (Aries RFC 0017), by the formats that the message names (RFC 0453, 0454). */
import { isObject, parseBase64 } from '../json.ts'
import type { RecordContent } from './record-json.ts'

export type Message = Record<string, unknown>

/** Contents of attachments by the key of their format. */
export type FormatData = Record<string, unknown>

export const objects = (value: unknown): Message[] => (Array.isArray(value) ? value.filter(isObject) : [])

/**
 * Content of an attachment: JSON, or JSON in base64. Undefined if it cannot be parsed, so that the other attachments
 * are still shown.
 */
export const attachedContent = (attachment: Message | undefined): unknown => {
  const data = attachment?.data
  if (!isObject(data)) return undefined
  return typeof data.base64 === 'string' ? parseBase64(data.base64) : data.json
}

/** Content of the attachment with this id. */
export const contentWithId = (attachments: unknown, id: unknown): unknown =>
  attachedContent(objects(attachments).find((attachment) => attachment['@id'] === id))

/**
 * The content of each attachment whose format is known, by the format's key. `formats` maps a format's name to its key.
 */
export const contentsByFormat = (
  { formats }: Message,
  attachments: unknown,
  keysByFormat: ReadonlyMap<string, string>,
): FormatData => {
  const data: FormatData = {}
  for (const { format, attach_id: id } of objects(formats)) {
    const key = typeof format === 'string' ? keysByFormat.get(format) : undefined
    if (key === undefined || key in data) continue
    const content = contentWithId(attachments, id)
    if (content !== undefined) data[key] = content
  }
  return data
}

/**
 * The newest message of each name, because an exchange can be proposed again. `type` matches the protocol's major
 * version and the message's name in its type, with either prefix of Aries message types.
 */
export const newestMessages = (
  records: readonly RecordContent[],
  type: RegExp,
  protocolVersion: string,
): Map<string, Message> => {
  const messages = new Map<string, Message>()
  const ordered = records.toSorted((a, b) => String(a.value.createdAt).localeCompare(String(b.value.createdAt)))
  for (const { value } of ordered) {
    const message = isObject(value.message) ? value.message : {}
    const [, major, name] = type.exec(String(message['@type'])) ?? []
    if (name !== undefined && `v${major}` === protocolVersion) messages.set(name, message)
  }
  return messages
}
