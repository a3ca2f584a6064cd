/** The body of a request: its size (413), content type (415), JSON (400) and schema (422), in this order. */
import httpJsonBodyParser from '@middy/http-json-body-parser'
import { AgentError } from '../errors.ts'
import type { Contract, Schema } from '../interface/contract.ts'
import { headerOf, keep, type OperationMiddleware } from './event.ts'
import { validate } from './validate.ts'

/** Largest body in bytes. */
const MAX_BODY = 256 * 1024

/** Deepest nesting: far below what a recursion over the value could stumble on. */
const MAX_DEPTH = 64

const JSON_MEDIA_TYPE = /^application\/([a-z0-9!#$&^_.-]+\+)?json$/

/** Whether a content type says JSON in UTF-8 (RFC 8259, section 8.1; RFC 6839 for `+json`). */
const isJson = (contentType: string | undefined, others: readonly string[] = []): boolean => {
  const [mediaType = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  if (!JSON_MEDIA_TYPE.test(mediaType) && !others.includes(mediaType)) return false
  return parameters.every(
    (parameter) => !parameter.startsWith('charset=') || /^charset="?(utf-8|us-ascii)"?$/.test(parameter),
  )
}

/** valibot leaves fields of these names out without a word; what is asked for is done as asked, or not at all. */
const PROTOTYPE_KEYS = ['__proto__', 'prototype', 'constructor']
const NAMES_A_PROTOTYPE = 'must not have a field that names a prototype'

const NESTED_TOO_DEEP = `must not be nested deeper than ${MAX_DEPTH} levels`

const invalid = (path: string, message: string) =>
  new AgentError('request.invalid', 'The body is not valid', { details: [{ path: path.slice(0, 200), message }] })

const notJson = (cause?: unknown) => new AgentError('request.malformed', 'The body is not JSON', { cause })

const decode = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw notJson(error)
  }
}

/** JSON can spell strings that are not Unicode (RFC 8259, section 8.2), and no database or wallet is sure to take them. */
const assertWellFormed = (body: unknown): void => {
  const queue: { value: unknown; path: string; depth: number }[] = [{ value: body, path: '', depth: 0 }]
  for (let item = queue.pop(); item !== undefined; item = queue.pop()) {
    const { value, path, depth } = item
    if (typeof value === 'string' && !value.isWellFormed()) throw invalid(path, 'must be well-formed Unicode')
    if (typeof value !== 'object' || value === null) continue
    if (depth > MAX_DEPTH) throw invalid(path, NESTED_TOO_DEEP)
    for (const [key, member] of Object.entries(value)) {
      if (!key.isWellFormed()) throw invalid(path, 'must have names of well-formed Unicode')
      if (PROTOTYPE_KEYS.includes(key)) throw invalid(path, NAMES_A_PROTOTYPE)
      queue.push({ value: member, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 })
    }
  }
}

const parser = httpJsonBodyParser({ disableContentTypeCheck: true })

const isJsonText = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The parser also refuses keys that reach into the prototype, and what is nested too deep for its stack. */
const parse = (request: Parameters<OperationMiddleware>[0]): void => {
  const text = String(request.event.body)
  try {
    parser.before?.(request)
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Forbidden key')) throw invalid('', NAMES_A_PROTOTYPE)
    throw isJsonText(text) ? invalid('', NESTED_TOO_DEEP) : notJson()
  }
}

/** Leaves the checked body in the event. */
export const checkBody =
  (schema: Schema, { mediaTypes }: Contract): OperationMiddleware =>
  (request) => {
    const { event } = request
    const { body, isBase64Encoded } = event
    const bytes = Buffer.from(typeof body === 'string' ? body : '', isBase64Encoded ? 'base64' : 'utf8')
    if (bytes.length > MAX_BODY) throw new AgentError('request.too_large', `The body is over ${MAX_BODY} bytes`)
    const contentType = headerOf(event, 'content-type')
    if (!isJson(contentType, mediaTypes) && (contentType !== undefined || bytes.length > 0))
      throw new AgentError('request.unsupported_media_type', 'The content type is not JSON')
    if (bytes.length === 0) throw new AgentError('request.malformed', 'The body is missing')
    if (isBase64Encoded) Object.assign(event, { body: decode(bytes), isBase64Encoded: false })
    parse(request)
    assertWellFormed(event.body)
    keep(event, { body: validate(schema, event.body, 'request.invalid', 'The body is not valid') })
  }
