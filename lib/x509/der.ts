/** Reads DER (ITU-T X.690, sections 8 and 10), within bounds and before OpenSSL sees it. */

/** What is wrong with a certificate, a chain or a key: a sentence that the caller may read. */
export class CertificateError extends Error {
  /** The same without the certificate's subject, which is what a third party wrote. */
  readonly reason: string

  constructor(reason: string, subject?: string) {
    super(subject === undefined ? reason : `of ${subject} ${reason}`)
    this.name = 'CertificateError'
    this.reason = reason
  }
}

const MAX_DEPTH = 16
const MAX_ELEMENTS = 2_000

const CONSTRUCTED = 0x20

export interface Element {
  tag: number
  /** The contents. */
  value: Buffer
  /** Tag, length and contents. */
  raw: Buffer
}

const malformed = () => new CertificateError('is not DER')

/** The length of an element's contents, and where they begin. Only the shortest form is DER. */
const lengthAt = (bytes: Buffer, at: number): { length: number; start: number } => {
  const first = bytes[at]
  if (first === undefined) throw malformed()
  if (first < 0x80) return { length: first, start: at + 1 }
  const octets = first & 0x7f
  const start = at + 1 + octets
  if (octets === 0 || octets > 3 || start > bytes.length) throw malformed()
  const length = bytes.readUIntBE(at + 1, octets)
  if (length < 0x80 || length < 2 ** (8 * (octets - 1))) throw malformed()
  return { length, start }
}

/** The elements of constructed contents, one after the other. Throws a CertificateError. */
export const elementsOf = (bytes: Buffer): Element[] => {
  const elements: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0
    // Tags of several octets occur in no certificate.
    if ((tag & 0x1f) === 0x1f || elements.length === MAX_ELEMENTS) throw malformed()
    const { length, start } = lengthAt(bytes, at + 1)
    const end = start + length
    if (end > bytes.length) throw malformed()
    elements.push({ tag, value: bytes.subarray(start, end), raw: bytes.subarray(at, end) })
    at = end
  }
  return elements
}

/** The one element that the bytes are. Throws a CertificateError unless it and all within are DER of a bounded depth. */
export const parseDer = (bytes: Buffer): Element => {
  let count = 0
  const check = (elements: Element[], depth: number): void => {
    count += elements.length
    if (depth > MAX_DEPTH || count > MAX_ELEMENTS)
      throw new CertificateError('is nested too deeply, or has too many parts')
    for (const { tag, value } of elements) if (tag & CONSTRUCTED) check(elementsOf(value), depth + 1)
  }
  const elements = elementsOf(bytes)
  check(elements, 1)
  const [element] = elements
  if (element === undefined || elements.length > 1) throw malformed()
  return element
}

/** Universal tags, and those of an implicit context. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const

/** The contents of an element with this tag. Throws a CertificateError for another. */
export const contentsOf = (element: Element | undefined, tag: number): Buffer => {
  if (element?.tag !== tag) throw malformed()
  return element.value
}

/** An object identifier in dotted form. */
export const oidOf = (element: Element | undefined): string => {
  const numbers: number[] = []
  let number = 0
  const octets = contentsOf(element, TAG.oid)
  if ((octets.at(-1) ?? 0x80) & 0x80) throw malformed()
  for (const octet of octets) {
    if (number === 0 && octet === 0x80) throw malformed()
    number = number * 128 + (octet & 0x7f)
    if (number > Number.MAX_SAFE_INTEGER) throw malformed()
    if (octet & 0x80) continue
    numbers.push(number)
    number = 0
  }
  const [first = 0, ...rest] = numbers
  const root = Math.min(2, Math.floor(first / 40))
  return [root, first - root * 40, ...rest].join('.')
}

/** Without fractions of a second, and in UTC (RFC 5280, sections 4.1.2.5.1 and 4.1.2.5.2). */
const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/

/** A time in its one form. */
export const timeOf = (element: Element | undefined): Date => {
  const isShort = element?.tag === TAG.utcTime
  const text = contentsOf(element, isShort ? TAG.utcTime : TAG.generalizedTime).toString('latin1')
  const full = isShort ? `${text < '50' ? '20' : '19'}${text}` : text
  const iso = full.replace(TIME, '$1-$2-$3T$4:$5:$6.000Z')
  const time = new Date(iso)
  // A day that its month has not is the next month's.
  if (iso === full || Number.isNaN(time.getTime()) || time.toISOString() !== iso) throw malformed()
  return time
}
