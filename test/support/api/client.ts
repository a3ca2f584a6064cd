/** A client of the API that checks every answer against the OpenAPI document and the rules for all answers. */

import { waitFor } from '../../wallet/wait.ts'
import type { Json } from '../stage/in-process-stage.ts'
import { InterfaceDescription } from './contract.ts'
import { type HttpAnswer, type HttpRequest, httpTo, type Send } from './http.ts'

export interface Ask {
  /** A JWT; it goes out as a Bearer token. */
  token?: string | undefined
  /** Becomes JSON. */
  body?: unknown
  headers?: Record<string, string>
}

export interface Answer extends HttpAnswer {
  /** The text as JSON; undefined for an empty one. */
  body: Json
  /** Of the document; undefined where the request matches no operation. */
  operationId: string | undefined
  /** The body that was sent. */
  asked: unknown
}

const REQUEST_ID = /^[\w+/=-]{8,64}$/

/** Contents that an error must not have: internals of the service or of its machine. */
const INSIDE =
  /\bat .{1,100}:\d+:\d+|node_modules|file:\/\/|\/(?:lib|functions|infra|home|root|usr|work)\/|credo|valibot|middy|askar|dynamo|hapi|serverless-offline|TypeError|RangeError|SyntaxError|undefined is not|cannot read prop|is not a function/i

const BARE: Record<number, object> = {
  401: { statusCode: 401, error: 'Unauthorized' },
  403: { statusCode: 403, error: 'Forbidden' },
}

/** The parsed JSON, or the text unchanged where it is not JSON. */
const parse = (text: string): unknown => {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}

export class ApiClient {
  readonly description: InterfaceDescription
  readonly #send: Send
  readonly #requestIds = new Set<string>()

  private constructor(description: InterfaceDescription, send: Send) {
    this.description = description
    this.#send = send
  }

  /** A client of a running stage, by the document that it serves. On a busy machine its first function may not start in time: a 500. */
  static async of(baseUrl: string): Promise<ApiClient> {
    const send = httpTo(baseUrl)
    const text = await waitFor(`${baseUrl}/openapi.json`, async () => {
      const answer = await send({ method: 'GET', path: '/openapi.json' })
      return answer.status === 200 && answer.text
    })
    return new ApiClient(new InterfaceDescription(JSON.parse(text)), send)
  }

  get(path: string, ask: Ask = {}): Promise<Answer> {
    return this.ask('GET', path, ask)
  }

  post(path: string, ask: Ask = {}): Promise<Answer> {
    return this.ask('POST', path, ask)
  }

  delete(path: string, ask: Ask = {}): Promise<Answer> {
    return this.ask('DELETE', path, ask)
  }

  ask(method: string, path: string, { token, body, headers = {} }: Ask = {}): Promise<Answer> {
    return this.send({
      method,
      path,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  /** Sends a request unchanged. Rejects when the answer violates the API's rules. */
  async send(asked: HttpRequest): Promise<Answer> {
    const answer = await this.#send(asked)
    const body = answer.headers['content-type'] === 'text/jsonl' ? answer.text : parse(answer.text)
    const problems = [...this.#common(answer, body), ...this.description.judge(asked, answer, body)]
    if (problems.length > 0) {
      const shown = `${asked.method} ${asked.path.slice(0, 300)} → ${answer.status} ${answer.text.slice(0, 1000)}`
      throw new Error(`${shown}\n${problems.join('\n')}`)
    }
    const operationId = this.description.operationOf(asked)?.operationId
    return { ...answer, body, operationId, asked: parse(String(asked.body ?? '')) }
  }

  /** Rules for all answers, whatever the operation. */
  #common({ status, headers, text }: HttpAnswer, body: Json): string[] {
    const problems: string[] = []
    const requestId = headers['x-request-id'] ?? ''
    if (!REQUEST_ID.test(requestId)) problems.push(`x-request-id is "${requestId}"`)
    if (this.#requestIds.has(requestId)) problems.push(`x-request-id ${requestId} was given before`)
    this.#requestIds.add(requestId)
    if (headers['access-control-allow-origin'] !== '*') problems.push('there is no access-control-allow-origin')
    if (!headers['access-control-expose-headers']?.includes('x-request-id'))
      problems.push('a browser may not read x-request-id')
    // An answer with an ETag is a public document.
    if (headers['cache-control'] !== 'no-store' && headers.etag === undefined)
      problems.push('it may be kept in a cache')
    if (headers['x-content-type-options'] !== 'nosniff') problems.push('a browser may guess its type')
    if (status < 400) return problems
    if (INSIDE.test(text)) problems.push(`it tells of the inside: ${INSIDE.exec(text)?.[0]}`)
    if (headers['content-type']?.startsWith('text/html')) return problems
    // The document says which errors have a status, and which OAuth's form instead.
    if (body?.statusCode === undefined) return problems
    if (body.statusCode !== status) problems.push(`statusCode is ${body.statusCode}`)
    const bare = BARE[status]
    if (bare !== undefined && text !== JSON.stringify(bare)) problems.push('there is more than statusCode and error')
    return problems
  }
}
