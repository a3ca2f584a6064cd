/** Checks the body of a request: size (413), content type (415), form (400) and schema (422), in this order. */
import httpJsonBodyParser from '@middy/http-json-body-parser'
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { type BodyFormat, type Contract, mayBeEmpty, type Schema } from '../interface/contract.ts'
import { findViolation, parseJson, UNSAFE_NAMES } from '../json.ts'
import { addChecked, headerOf, type OperationMiddleware } from './event.ts'
import { parseForm } from './form.ts'
import { validate } from './validate.ts'

/** Largest body in bytes. */
const MAX_BODY = 256 * 1024

const RULES = {
  /** Far below the depth at which recursion over the value would overflow the stack. */
  maxDepth: 64,
  /** Not dropped silently: a request is executed completely or rejected. */
  forbidden: UNSAFE_NAMES,
}

/** Media types of each format: JSON's (RFC 8259, RFC 6839), that of forms in HTML. */
const MEDIA_TYPES: Record<BodyFormat, RegExp> = {
  json: /^application\/([a-z0-9!#$&^_.-]+\+)?json$/,
  form: /^application\/x-www-form-urlencoded$/,
}

const NAMES: Record<BodyFormat, string> = { json: 'JSON', form: 'a form' }

/** Whether a content type is of the format, in UTF-8 (RFC 8259, section 8.1). */
const isOfFormat = (format: BodyFormat, contentType: string | undefined, others: readonly string[] = []): boolean => {
  const [mediaType = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  if (!MEDIA_TYPES[format].test(mediaType) && !others.includes(mediaType)) return false
  return parameters.every(
    (parameter) => !parameter.startsWith('charset=') || /^charset="?(utf-8|us-ascii)"?$/.test(parameter),
  )
}

/** Throws `request.invalid` for violations that schemas do not find: they drop members that name a prototype. */
export const assertSafeJson = (json: unknown, message: string): void => {
  const violation = findViolation(json, RULES)
  if (violation === undefined) return
  const details = [{ path: violation.path.join('.').slice(0, 200), message: violation.message }]
  throw new AgentError('request.invalid', message, { details })
}

const INVALID = 'The body is not valid'

const isNot = (format: BodyFormat, cause?: unknown) =>
  new AgentError('request.malformed', `The body is not ${NAMES[format]}`, { cause })

/** Drops a byte order mark, as RFC 8259, section 8.1, allows. */
const decode = (bytes: Buffer, format: BodyFormat): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw isNot(format, error)
  }
}

const parsedJson = (text: string): unknown => {
  const json = parseJson(text)
  if (json === undefined) throw isNot('json')
  return json
}

const parser = httpJsonBodyParser({ disableContentTypeCheck: true })

/** The parser's messages for JSON with a name of a prototype, or too deep nesting; `findViolation` gives the path. */
const REJECTED_JSON = /^Forbidden key|call stack/

/**
 * middy's parser checks every value for names of a prototype. That takes 60 ms for 256 KiB of zeros: too much where no
 * token is needed. `findViolation` rejects the same names.
 */
const parse = (request: Parameters<OperationMiddleware>[0], text: string, contract: Contract): unknown => {
  if (contract.bodyFormat === 'form') return parseForm(text)
  if (contract.security !== 'token') return parsedJson(text)
  Object.assign(request.event, { body: text.replace(/^\uFEFF/, ''), isBase64Encoded: false })
  try {
    parser.before?.(request)
    return request.event.body
  } catch (error) {
    const { message, cause } = Object(error)
    if (!REJECTED_JSON.test(cause?.message ?? message)) throw isNot('json')
    return parsedJson(text)
  }
}

/**
 * Stores the validated body in the event. If no field is required, an empty body counts as `{}`, whatever its content
 * type.
 */
export const checkBody = (schema: Schema, contract: Contract): OperationMiddleware => {
  const optional = mayBeEmpty(contract)
  const { bodyFormat: format = 'json' } = contract
  return (request) => {
    const { event } = request
    const { body, isBase64Encoded } = event
    const bytes = Buffer.from(typeof body === 'string' ? body : '', isBase64Encoded ? 'base64' : 'utf8')
    if (bytes.length > MAX_BODY) throw new AgentError('request.too_large', `The body is over ${MAX_BODY} bytes`)
    if (bytes.length === 0 && optional) {
      addChecked(event, { body: v.parse(schema, {}) })
      return
    }
    const contentType = headerOf(event, 'content-type')
    if (!isOfFormat(format, contentType, contract.mediaTypes) && (contentType !== undefined || bytes.length > 0))
      throw new AgentError('request.unsupported_media_type', `The content type is not ${NAMES[format]} in UTF-8`)
    // An empty form is one without names.
    if (bytes.length === 0 && format !== 'form') throw new AgentError('request.malformed', 'The body is missing')
    const parsed = parse(request, isBase64Encoded ? decode(bytes, format) : String(body), contract)
    assertSafeJson(parsed, INVALID)
    addChecked(event, { body: validate(schema, parsed, 'request.invalid', INVALID) })
  }
}
