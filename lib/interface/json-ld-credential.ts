/** The schema of an unsigned credential (W3C Verifiable Credentials Data Model 1.1). */
import * as v from 'valibot'
import { hasNumber } from '../json.ts'
import { DATE_TIME, hasDay } from '../rfc3339.ts'
import { Did, JsonObject, noArray, notTooDeep, text, Uri } from './fields.ts'
import { noViolations } from './violations.ts'

const CREDENTIALS_V1 = 'https://www.w3.org/2018/credentials/v1'

/** RFC 3339, as Credo checks it: seconds and an offset are required. */
const DateTime = v.pipe(
  text(40),
  v.regex(DATE_TIME, 'must be a date and time of RFC 3339'),
  v.check(hasDay, 'must be a day of the calendar'),
  v.metadata({ format: 'date-time' }),
)

/** The URL of a context. Credo rejects hosts that are not public. */
const ContextUrl = v.pipe(
  text(2048),
  v.regex(
    /^https?:\/\/(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}(?::\d{1,5})?(?:[/?#][^\s<>]*)?$/,
    'must be an http(s) URL of a public host',
  ),
)

const Context = v.pipe(
  v.array(v.union([ContextUrl, JsonObject])),
  v.minLength(1),
  v.maxLength(20),
  v.check(([first]) => first === CREDENTIALS_V1, `must start with ${CREDENTIALS_V1}`),
  // From `prefixItems`, client generators make a list of this item only.
  v.metadata({ contains: { const: CREDENTIALS_V1 } }),
)

const Type = v.pipe(
  v.array(text(256)),
  v.maxLength(20),
  v.includes('VerifiableCredential', 'must include VerifiableCredential'),
)

/** Credo signs no others. */
const Url = v.pipe(Uri, v.check(URL.canParse, 'must be a URI'))

const Subject = v.pipe(
  noArray(v.objectWithRest({ id: v.optional(Url) }, v.unknown())),
  v.check((subject) => Object.keys(subject).length > 0, 'must make a claim'),
)

/** A status or schema entry (sections 4.9 and 5.4 of the data model). */
const Typed = noArray(v.looseObject({ id: Uri, type: text(256) }))

/** Evidence or terms of use (sections 5.5 and 5.6 of the data model). Credo signs none without a type. */
const Annotation = noArray(v.looseObject({ id: v.optional(Url), type: v.union([text(256), v.array(text(256))]) }))

const Annotations = v.optional(v.union([v.array(Annotation), Annotation]))

/**
 * Fields that the contexts define are accepted ("open world", section 5.2 of the data model). The agent adds the proof.
 */
const Credential = noArray(
  v.looseObject({
    '@context': Context,
    id: v.optional(Uri),
    type: Type,
    /** A DID of this agent; absent: the agent's own did:key. */
    issuer: v.optional(v.union([Did, noArray(v.looseObject({ id: Did }))])),
    issuanceDate: DateTime,
    expirationDate: v.optional(DateTime),
    credentialSubject: v.union([v.pipe(v.array(Subject), v.minLength(1), v.maxLength(100)), Subject]),
    credentialStatus: v.optional(Typed),
    credentialSchema: v.optional(v.union([v.pipe(v.array(Typed), v.maxLength(20)), Typed])),
    evidence: Annotations,
    termsOfUse: Annotations,
  }),
)

/**
 * Each attachment is base64 in an envelope that is base64: the envelopes of a larger credential's request and
 * presentation exceed 256 KiB, which this agent does not accept.
 */
const MAX_BYTES = 140_000

/**
 * Whether a different number would be signed than the caller wrote: JavaScript reads a large integer as one near it,
 * and the JSON-LD processor signs 1e-7 as 0, and 16 digits of a fraction.
 */
const isSignedAsAnother = (number: number): boolean =>
  !Number.isSafeInteger(number) && !(String(number).includes('.') && Number(number.toExponential(15)) === number)

export const JsonLdCredential = v.pipe(
  Credential,
  noViolations((credential) => ('proof' in credential ? [{ path: ['proof'], message: 'is made by the agent' }] : [])),
  v.metadata({ not: { required: ['proof'] } }),
  v.check(
    (credential) => Buffer.byteLength(JSON.stringify(credential)) <= MAX_BYTES,
    `must be at most ${MAX_BYTES} bytes as JSON in UTF-8`,
  ),
  v.check(
    (credential) => !hasNumber(credential, isSignedAsAnother),
    'has a number that would be signed as a different one: write it as a text',
  ),
  notTooDeep(),
)
