/** Checks answers against the OpenAPI document of a running stage. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Json } from '../stage/in-process-stage.ts'
import type { HttpAnswer, HttpRequest } from './http.ts'

export interface DescribedOperation {
  operationId: string
  /** The operation in the document, its references to responses resolved. */
  responses: Record<string, Json>
  /** Where its responses are, by status, as JSON pointers into the document. */
  pointers: Record<string, string>
}

const pointerPart = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

/** `greedy`: parameters that take the rest of the path. */
const asPattern = (template: string, greedy: string[] = []): RegExp =>
  new RegExp(
    `^${template.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, (_, name) => (greedy.includes(name) ? '.+' : '[^/]+'))}/?$`,
  )

const greedyIn = ({ parameters = [] }: Json): string[] =>
  parameters.filter((parameter: Json) => parameter['x-takes-slashes']).map(({ name }: Json) => name)

/** Whether a path with its query is UTF-8 in percent-encoding. */
const isEncoded = (path: string): boolean => {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

export class InterfaceDescription {
  readonly document: Json
  readonly #ajv: Ajv2020
  readonly #routes: { method: string; pattern: RegExp; operation: DescribedOperation }[]
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(document: Json) {
    this.document = document
    // OpenAPI documents are not schemas: their members must not be read as keywords.
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema(document, 'document')
    this.#routes = Object.entries<Json>(document.paths)
      .flatMap(([template, item]) =>
        Object.entries<Json>(item).map(([method, described]) => ({
          method: method.toUpperCase(),
          pattern: asPattern(template, greedyIn(described)),
          operation: this.#describe(`#/paths/${pointerPart(template)}/${method}`, described),
        })),
      )
      // `/credentials/create-offer` before `/credentials/{credentialRecordId}`.
      .sort((a, b) => Number(/\[\^|\.\+/.test(a.pattern.source)) - Number(/\[\^|\.\+/.test(b.pattern.source)))
  }

  /** The operation that a request is for; undefined: no operation. */
  operationOf({ method, path }: Pick<HttpRequest, 'method' | 'path'>): DescribedOperation | undefined {
    // A path is what is left of it without dot segments (RFC 3986, section 6.2.2.3).
    const { pathname } = new URL(`http://stage${path.replaceAll('\\', '%5C')}`)
    return this.#routes.find((route) => route.method === method && route.pattern.test(pathname))?.operation
  }

  /** Violations by a value of the schema at a JSON pointer of the document. */
  mismatches(pointer: string, value: unknown): string[] {
    const known = this.#validators.get(pointer)
    const validator = known ?? this.#ajv.compile({ $ref: `document${pointer}` })
    this.#validators.set(pointer, validator)
    return validator(value)
      ? []
      : (validator.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`)
  }

  /** Violations of the document by an answer: status, content type, body. */
  judge(asked: HttpRequest, { status, headers, text }: HttpAnswer, body: unknown): string[] {
    // The gateway rejects a query that is not UTF-8 for each operation, also for one without a query.
    const operation = isEncoded(asked.path) ? this.operationOf(asked) : undefined
    if (operation === undefined) {
      // The local gateway reads the body before it looks for the route.
      const known = [400, 404, 413, 415].includes(status)
      return [
        ...(known ? [] : [`${status}, but there is no such route`]),
        ...this.mismatches('#/components/schemas/Error', body),
      ]
    }
    const pointer = operation.pointers[status]
    if (pointer === undefined) return [`${operation.operationId} answers ${status}, which the document does not name`]
    if (status === 204 || status === 302 || status === 304) return text === '' ? [] : ['there is a body']
    // The endpoint for other agents may answer without a body.
    if (text === '') return /ReceiveDidcomm$/.test(operation.operationId) && status === 200 ? [] : ['there is no body']
    const [mediaType = 'none'] = (headers['content-type'] ?? 'none').split(';')
    const content = operation.responses[status]?.content?.[mediaType]
    if (content === undefined) return [`the content type is ${mediaType}`]
    return this.mismatches(`${pointer}/content/${pointerPart(mediaType)}/schema`, body)
  }

  #describe(pointer: string, { operationId, responses }: Json): DescribedOperation {
    const described: DescribedOperation = { operationId, responses: {}, pointers: {} }
    for (const [status, given] of Object.entries<Json>(responses)) {
      const reference: string | undefined = given.$ref
      described.pointers[status] = reference ?? `${pointer}/responses/${status}`
      described.responses[status] =
        reference === undefined ? given : this.document.components.responses[reference.split('/').at(-1) ?? '']
    }
    return described
  }
}
