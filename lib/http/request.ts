/** Input and output of a handler. The input is derived from its contract. */
import type * as v from 'valibot'
import type { Principal } from '../auth/principal.ts'
import type { CommittedError } from '../errors.ts'
import type { Contract, Schema } from '../interface/contract.ts'
import { settings } from '../settings.ts'

type Output<S> = S extends Schema ? v.InferOutput<S> : undefined
type Parameter<C extends Contract, Name extends 'path' | 'query'> = C['parameters'] extends { [N in Name]: infer S }
  ? Output<S>
  : Record<string, never>

type PrincipalOf<C extends Contract> = C['security'] extends 'token'
  ? Principal
  : C['security'] extends 'optional'
    ? Principal | undefined
    : undefined

/** A request that has passed every check of its contract. */
export interface OperationRequest<C extends Contract = Contract> {
  principal: PrincipalOf<C>
  path: Parameter<C, 'path'>
  query: Parameter<C, 'query'>
  body: C extends { body: infer S } ? Output<S> : undefined
  /** The access token of a wallet; undefined if it has sent none. */
  accessToken: C extends { accessToken: true } ? string | undefined : undefined
  /** Aborted at the operation's timeout, when the 503 is sent: then nothing may be committed. */
  signal: AbortSignal
}

/** The preference of `Accept`: `json`, `page`, or `any` if it names neither. */
export type PreferredType = 'json' | 'page' | 'any'

/** A request whose caller is authorized. `Unit`: the unit of work, for operations that write. */
export interface AuthorizedRequest<C extends Contract = Contract, Unit = undefined> extends OperationRequest<C> {
  /** The agent for which the operation runs, as returned by `authorize`: a tenant's id or BASE_AGENT. */
  agent: C extends { security: 'none'; writes?: undefined } ? string | undefined : string
  /** The running unit of work, whose writes are committed before the response. */
  unit: C extends { writes: true } ? Unit : undefined
  /** For operations that have pages. */
  preferredType: C extends { pages: string } ? PreferredType : undefined
}

/** Body of a response: JSON, or nothing. The pipeline checks it against the contract. */
export type ResponseBody = object | undefined

/** A response with further headers. */
export class OperationResponse {
  readonly body: ResponseBody
  readonly headers: Readonly<Record<string, string>>

  constructor(body: ResponseBody, headers: Record<string, string>) {
    this.body = body
    this.headers = headers
  }
}

/** `Cache-Control` of content that is named by its hash. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'

interface Caching {
  /** Value of `Cache-Control`. */
  cacheControl: string
  /** A validator, with quotes; a weak one begins with `W/`. */
  etag: string
}

/** A document, sent unchanged with the contract's content type. Without `caching` no cache may store it. */
export class Document {
  /** Text, or bytes, which the gateway gets in base64. */
  readonly content: string | Uint8Array
  readonly caching: Caching | undefined
  /** If the contract has several. */
  readonly contentType: string | undefined

  constructor(content: string | Uint8Array, caching?: Caching, contentType?: string) {
    this.content = content
    this.caching = caching
    this.contentType = contentType
  }
}

/** The results of operations: each contract allows some of these. */
export type Result = ResponseBody | OperationResponse | CommittedError | Document | Page | Redirect

/** An HTML page. */
export class Page {
  readonly html: string

  constructor(html: string) {
    this.html = html
  }
}

/** A redirect. */
export class Redirect {
  readonly location: string

  constructor(location: string) {
    this.location = location
  }
}

interface ListPage<T> {
  entries: readonly T[]
  /** Cursor of the next page. */
  next?: string | undefined
}

interface PageRequest {
  /** The operation's path, with its parameters filled in. */
  path: string
  /** The query of this page. */
  query: Readonly<Record<string, string | number | undefined>>
}

/** The response with a page of a list, and a link to the next one (RFC 8288). `show` converts an entry to JSON. */
export const pageOf = <T>(
  { entries, next }: ListPage<T>,
  show: (entry: T) => object,
  { path, query }: PageRequest,
): OperationResponse => {
  const items = entries.map(show)
  if (next === undefined) return new OperationResponse(items, {})
  const url = new URL(settings().PUBLIC_URL + path)
  for (const [name, value] of Object.entries({ ...query, cursor: next }))
    if (value !== undefined) url.searchParams.set(name, String(value))
  return new OperationResponse(items, { link: `<${url}>; rel="next"` })
}
