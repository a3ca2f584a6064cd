/** The six extensions of certificates that this service looks at: https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1 */
import { CertificateError, contentsOf, type Element, elementsOf, oidOf, parseDer, TAG } from './der.ts'

/** Bits of key usage, in their order. */
const USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const
type KeyUsage = (typeof USAGES)[number]

export interface Extensions {
  /** Basic constraints; absent: not a CA. */
  ca?: { isCa: boolean; pathLength?: number }
  keyUsage?: KeyUsage[]
  /** Object identifiers of purposes. */
  extendedKeyUsage?: string[]
  /** Alternative names of the subject that are domain names or URIs. */
  dnsNames?: string[]
  uris?: string[]
  /** Key identifiers in base64url. */
  subjectKeyId?: string
  authorityKeyId?: string
}

const basicConstraints = (value: Buffer): Extensions => {
  const parts = elementsOf(contentsOf(parseDer(value), TAG.sequence))
  const isCa = parts[0]?.tag === TAG.boolean && parts.shift()?.value[0] === 0xff
  const length = parts.shift()
  if (parts.length > 0) throw new CertificateError('has basic constraints that are not DER')
  return { ca: { isCa, ...(length !== undefined && { pathLength: pathLengthOf(length) }) } }
}

const pathLengthOf = (element: Element): number => {
  const value = contentsOf(element, TAG.integer)
  const [first = 0x80] = value
  // A negative length allows no certificate.
  return first & 0x80 ? -1 : Number(`0x${value.toString('hex')}`)
}

const keyUsage = (value: Buffer): Extensions => {
  const [unused = 8, ...octets] = contentsOf(parseDer(value), TAG.bitString)
  if (unused > 7 || (octets.at(-1) ?? 0) & (2 ** unused - 1))
    throw new CertificateError('has a key usage that is not DER')
  return { keyUsage: USAGES.filter((_, bit) => ((octets[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) }
}

/** Names of other kinds are ignored. */
const DNS_NAME = 0x82
const URI = 0x86

const subjectAlternativeName = (value: Buffer): Extensions => {
  const names = elementsOf(contentsOf(parseDer(value), TAG.sequence))
  const ofKind = (kind: number) => names.filter(({ tag }) => tag === kind).map((name) => name.value.toString('latin1'))
  return { dnsNames: ofKind(DNS_NAME), uris: ofKind(URI) }
}

const AUTHORITY_KEY_ID = 0x80

const authorityKeyIdentifier = (value: Buffer): Extensions => {
  const parts = elementsOf(contentsOf(parseDer(value), TAG.sequence))
  const id = parts.find(({ tag }) => tag === AUTHORITY_KEY_ID)?.value
  return id === undefined ? {} : { authorityKeyId: id.toString('base64url') }
}

const READERS: Readonly<Record<string, (value: Buffer) => Extensions>> = {
  '2.5.29.14': (value) => ({ subjectKeyId: contentsOf(parseDer(value), TAG.octetString).toString('base64url') }),
  '2.5.29.15': keyUsage,
  '2.5.29.17': subjectAlternativeName,
  '2.5.29.19': basicConstraints,
  '2.5.29.35': authorityKeyIdentifier,
  '2.5.29.37': (value) => ({ extendedKeyUsage: elementsOf(contentsOf(parseDer(value), TAG.sequence)).map(oidOf) }),
}

const NAME_CONSTRAINTS = '2.5.29.30'

/**
 * Reads the extensions of a certificate. Throws a CertificateError for name constraints, for a critical extension
 * beside the six (RFC 5280, section 4.2), and for one that occurs twice.
 */
export const readExtensions = (list: Buffer): Extensions => {
  const found: Extensions = {}
  const seen = new Set<string>()
  for (const extension of elementsOf(list)) {
    const [id, ...rest] = elementsOf(contentsOf(extension, TAG.sequence))
    const oid = oidOf(id)
    if (seen.has(oid)) throw new CertificateError(`has the extension ${oid} twice`)
    seen.add(oid)
    const isCritical = rest[0]?.tag === TAG.boolean && rest.shift()?.value[0] !== 0
    const read = READERS[oid]
    if (oid === NAME_CONSTRAINTS) throw new CertificateError('has name constraints, which are not supported')
    if (read === undefined && isCritical)
      throw new CertificateError(`has the critical extension ${oid}, which is not supported`)
    if (read !== undefined) Object.assign(found, read(contentsOf(rest[0], TAG.octetString)))
  }
  return found
}
