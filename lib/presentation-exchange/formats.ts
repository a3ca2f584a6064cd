/** The formats that filters know (JSON Schema, `format`). */
import { isIPv4, isIPv6 } from 'node:net'
import { isDate, isDateTime, isTime } from '../rfc3339.ts'

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** RFC 1123, section 2.1. */
const isHostname = (text: string): boolean => text.length <= 253 && text.split('.').every((label) => LABEL.test(label))

const ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+$/i

/** A mailbox of RFC 5321, section 4.1.2, without quoted names and address literals. */
const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf('@')
  const name = text.slice(0, Math.max(at, 0))
  return name.length <= 64 && name.split('.').every((atom) => ATOM.test(atom)) && isHostname(text.slice(at + 1))
}

const URI = /^[a-z][a-z0-9+.-]*:(?:[a-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9a-f]{2})*$/i

/** RFC 3986, with a scheme. */
const isUri = (text: string): boolean => URI.test(text) && URL.canParse(text)

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** https://json-schema.org/draft/2020-12/json-schema-validation#section-7.3 */
const CHECKS = {
  date: isDate,
  'date-time': isDateTime,
  time: isTime,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIPv4,
  /** RFC 4291; a zone (`%eth0`) is not part of the address. */
  ipv6: (text: string): boolean => isIPv6(text) && !text.includes('%'),
  uri: isUri,
  uuid: (text: string): boolean => UUID.test(text),
}

type Format = keyof typeof CHECKS

const isFormat = (name: string): name is Format => Object.hasOwn(CHECKS, name)

export const FORMATS: readonly Format[] = Object.keys(CHECKS).filter(isFormat)

/** Whether the text has the format. False for an unknown format. */
export const hasFormat = (format: string, text: string): boolean => isFormat(format) && CHECKS[format](text)
