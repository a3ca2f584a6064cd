/**
 * Checks messages and DID documents before Credo reads them: for some malformed ones, and for long identifiers, it
 * takes quadratic time or worse.
 */
import { CredoError } from '@credo-ts/core'
import type { DidCommPlaintextMessage } from '@credo-ts/didcomm'
import * as v from 'valibot'
import {
  findViolation,
  hasMoreValuesThan,
  hasNumber,
  isNestedDeeperThan,
  isObject,
  MAX_DEPTH,
  MAX_VALUES,
  parseBase64,
  parseJson,
  removeNulls,
} from '../../json.ts'

/** In characters, also of DIDs in requests to the API. */
export const MAX_IDENTIFIER = 4096

/** Members that Credo matches as URIs or parses as DIDs, in messages and attachments. */
const IDENTIFIERS = new Set([
  ...['id', '@id', 'did', 'DID', 'to_did', 'kid', 'controller', 'holder', 'issuer', 'verificationMethod'],
  ...['recipientKeys', 'routingKeys', 'serviceEndpoint', 'uri', 'thread_id', 'credential_id', 'cred_def_id'],
  ...['schema_id', 'rev_reg_id'],
])

/**
 * In characters: Credo converts keys and signatures from base58, and numbers of JWKs to it, in quadratic time. An RSA
 * key of 4,096 bits has 683.
 */
export const MAX_KEY = 1024

/** Members with a key or signature in base58 or multibase. */
const KEYS = new Set(['publicKeyBase58', 'publicKeyMultibase', 'recipient_key', 'signer', 'proofValue'])

/** Members with a JWK, and its members that are part of the key. */
const JWKS = new Set(['publicKeyJwk', 'jwk'])
const NUMBERS = new Set(['n', 'e', 'x', 'y'])

/** Keys of a service. Each is looked up in its document, and every message is encrypted for each. */
export const MAX_KEYS = 16

const LISTS_OF_KEYS = new Set(['recipientKeys', 'routingKeys'])

const maxLength = (name: string, value: string): number => {
  // The first character of multibase `u` means base64url, which takes linear time: a proof of AnonCreds in the form of
  // W3C has 3,500 characters.
  if (name === 'proofValue' && value.startsWith('u')) return Number.POSITIVE_INFINITY
  if (KEYS.has(name) || (LISTS_OF_KEYS.has(name) && !value.startsWith('did:'))) return MAX_KEY
  return IDENTIFIERS.has(name) ? MAX_IDENTIFIER : Number.POSITIVE_INFINITY
}

const hasLongNumber = (jwk: unknown): boolean =>
  isObject(jwk) &&
  Object.entries(jwk).some(([name, text]) => NUMBERS.has(name) && typeof text === 'string' && text.length > MAX_KEY)

/**
 * Whether a message or document, including its base64 attachments, has an identifier that is too long, a service with
 * too many keys, or text that is not Unicode: many clients can't parse JSON with that (RFC 8259, section 8.2).
 */
export const hasUnreadableText = (value: unknown, name = ''): boolean => {
  if (typeof value === 'string') {
    if (name === 'base64') return hasUnreadableText(parseBase64(value))
    return value.length > maxLength(name, value) || !value.isWellFormed()
  }
  if (typeof value !== 'object' || value === null) return false
  if (JWKS.has(name) && hasLongNumber(value)) return true
  if (Array.isArray(value))
    return (LISTS_OF_KEYS.has(name) && value.length > MAX_KEYS) || value.some((one) => hasUnreadableText(one, name))
  return Object.entries(value).some(([member, one]) => !member.isWellFormed() || hasUnreadableText(one, member))
}

/** Maximum length of a message type (Aries RFC 0003) or id: Credo's patterns for them take polynomial time. */
const MAX_CHARACTERS = 256

const Short = v.pipe(v.string(), v.maxLength(MAX_CHARACTERS))

/**
 * Credo's `PthidRegExp` (ThreadDecorator, didcomm 0.6.3) in linear time: there, each colon in `did:a:b:::::` with a
 * line end doubles the time.
 */
const ThreadId = v.pipe(
  v.string(),
  v.maxLength(MAX_IDENTIFIER),
  v.regex(
    /^(?:[-_./A-Za-z0-9]{8,64}|did:[a-z0-9]+:(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9.-])+(?::(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9._~!$&'()*+,;=@/-])+)*(?:\?[\w.~!$&'()*+,;=:@/%-]*)?(?:#[\w.~!$&'()*+,;=:@/%-]*)?)$/,
  ),
)

/** An attached document may be nested 32 levels deep. The message around it adds five. */
const RULES = { maxDepth: 40, forbidden: ['__proto__'] }

/**
 * Maximum number of objects and lists that Credo turns into class instances, at 20 µs each. Attachments as `json` do
 * not count.
 */
const MAX_STRUCTURE = 500

/** Number of objects and lists, without attachments as `json`. */
const structureOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).reduce((sum, [name, member]) => sum + (name === 'json' ? 0 : structureOf(member)), 1)
    : 0

/** Whether Credo may turn a message or a DID document into class instances. */
const isWithinLimits = (value: unknown): boolean =>
  findViolation(value, RULES) === undefined &&
  !hasMoreValuesThan(value, MAX_VALUES) &&
  structureOf(value) <= MAX_STRUCTURE

/** Whether Credo may read a DID document of another agent. */
export const isReadableDocument = (document: unknown): boolean =>
  isWithinLimits(document) && !hasUnreadableText(document)

/**
 * An attached DID document (Aries RFC 0023): Credo turns all of it into class instances before it checks the signature.
 */
const AttachedDidDocument = v.looseObject({
  data: v.looseObject({
    base64: v.optional(
      v.pipe(
        v.string(),
        v.check((base64) => isWithinLimits(parseBase64(base64))),
      ),
    ),
  }),
})

/** The name of an agent that requests a connection. Each message reads it with the record or one of its copies. */
const Label = v.pipe(v.string(), v.maxLength(1000))

const Message = v.looseObject({
  '@type': Short,
  '@id': Short,
  label: v.optional(Label),
  '~thread': v.optional(v.looseObject({ thid: v.optional(ThreadId), pthid: v.optional(ThreadId) })),
  'connection~sig': v.optional(v.looseObject({ '@type': Short })),
  '~transport': v.optional(v.looseObject({ return_route_thread: v.optional(Short) })),
  'did_doc~attach': v.optional(AttachedDidDocument),
})

/** Nested deeper than any document may be: the format's handler rejects it with a problem report. */
const TOO_DEEP = `${'{"a":'.repeat(MAX_DEPTH + 1)}1${'}'.repeat(MAX_DEPTH + 1)}`

/** Whether an attached document is too large for libraries and for this service's recursive functions. */
const isTooLarge = (document: unknown, maxDepth: number): boolean =>
  isNestedDeeperThan(document, maxDepth) || hasMoreValuesThan(document, MAX_VALUES)

/** Credo's parser rejects it. A JWS signs it, too. */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/** Attachments with a request, an offer or a proposal: neither a credential nor a presentation. */
const REQUESTS = /^(?:offers|requests|filters|proposals|request_presentations)~attach$/

/** Members of these in which null has a meaning. */
const WITH_NULLS = ['credential', 'filter', 'json']

/** A request without its members that are null; unchanged if it is not JSON, or has a number that would become null. */
const withoutNulls = (bytes: Buffer): Buffer => {
  const json = bytes.includes('null') ? parseJson(bytes.toString()) : undefined
  if (json === undefined || hasNumber(json, (number) => !Number.isFinite(number))) return bytes
  removeNulls(json, WITH_NULLS)
  return Buffer.from(JSON.stringify(json))
}

/**
 * Replaces each attached document that is too large for libraries by a short one, so that a problem report can reply to
 * the message. Base64 gets the alphabet and padding of RFC 4648, section 4: agents send that of section 5 too
 * (Credo 0.7 does, and reads only the first one). A byte order mark before unsigned JSON is dropped; requests lose their
 * members that are null.
 */
const normalizeAttachments = (message: unknown): void => {
  if (!isObject(message)) return
  for (const [name, attached] of Object.entries(message))
    for (const attachment of name.endsWith('~attach') ? [attached].flat() : []) {
      const data: unknown = isObject(attachment) ? attachment.data : undefined
      if (!isObject(data)) continue
      if (isTooLarge(data.json, MAX_DEPTH)) data.json = JSON.parse(TOO_DEEP)
      const isRequest = REQUESTS.test(name) && data.jws === undefined
      if (isRequest) removeNulls(data.json, WITH_NULLS)
      if (typeof data.base64 !== 'string') continue
      const bytes = Buffer.from(data.base64, 'base64')
      const json = parseJson(bytes.toString())
      // It may be a message: invitations have attached ones.
      const isReadable = !isTooLarge(json, RULES.maxDepth)
      const hasMark = json !== undefined && data.jws === undefined && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)
      const readable = isReadable ? bytes.subarray(hasMark ? 3 : 0) : Buffer.from(TOO_DEEP)
      data.base64 = (isRequest ? withoutNulls(readable) : readable).toString('base64')
    }
}

/** Throws a CredoError for a message that no conforming agent sends. Changes messages to what libraries can read. */
export function assertReadable(message: unknown): asserts message is DidCommPlaintextMessage {
  normalizeAttachments(message)
  if (!isWithinLimits(message)) throw new CredoError('the message is too large')
  removeNulls(message)
  if (!v.is(Message, message)) throw new CredoError('the type, id, label or thread of the message is not valid')
  if (hasUnreadableText(message))
    throw new CredoError('an identifier of the message is too long, or its text is not valid Unicode')
}
