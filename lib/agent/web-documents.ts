/** Reads documents of the web that other agents name, behind the address guard and within a budget. */
import {
  type AgentContext,
  CredoError,
  DidDocument,
  type DidResolutionResult,
  JsonTransformer,
  type ParsedDid,
  WebDidResolver,
} from '@credo-ts/core'
import { get, post } from '../egress/post.ts'
import { isObject } from '../json.ts'
import { settings } from '../settings.ts'
import { currentUnit } from '../store/transaction.ts'
import { isOurWebDid, ourWebDocument } from '../webvh/web-document.ts'
import { isReadableDocument } from './envelopes/readable-message.ts'

/** Maximum size of a context or DID document. */
const MAX_BYTES = 256 * 1024
/** Maximum number of requests in a unit of work, redirects included. AnonCreds of several issuers need this many. */
const MAX_DOCUMENTS = 20
/** Maximum number of requests after JSON-LD processing has started: contexts and DIDs that a document names. */
const MAX_JSON_LD_DOCUMENTS = 10
const MAX_TOTAL_BYTES = 1024 * 1024
/** Time limit in ms for all documents of a unit of work, because a request waits for them. */
const MAX_TOTAL_MS = 5_000
/** w3id.org redirects to the documents. */
const MAX_REDIRECTS = 3

interface Budget {
  documents: number
  bytes: number
  /** Time spent waiting for responses; computing in between does not count. */
  milliseconds: number
}

const BUDGET = Symbol('budget of web documents')

/** The remaining budget of the running unit of work. */
const currentBudget = (): Budget =>
  currentUnit().slot(BUDGET, () => ({
    documents: MAX_DOCUMENTS,
    bytes: MAX_TOTAL_BYTES,
    milliseconds: MAX_TOTAL_MS,
  }))

/** Called before JSON-LD processing: limits the running unit of work to ten more documents. */
export const boundDocumentsOfJsonLd = (): void => {
  const budget = currentBudget()
  budget.documents = Math.min(budget.documents, MAX_JSON_LD_DOCUMENTS)
}

export interface ReadOptions {
  /** Media types. */
  accept?: string
  /** In bytes; larger documents are refused. */
  maxBytes?: number
  maxRedirects?: number
  /** JSON to POST; without it the request is a GET. Redirects of a POST are not followed. */
  body?: string
}

/**
 * Reads a text from the web within the budget of the running unit of work. Every address, also of redirects, is checked at connect time. Throws a
 * CredoError.
 */
export const readText = (url: string, options: ReadOptions = {}): Promise<string> =>
  follow(url, options, options.maxRedirects ?? MAX_REDIRECTS)

const follow = async (url: string, options: ReadOptions, redirects: number): Promise<string> => {
  const { accept = 'application/ld+json, application/did+ld+json, application/json', maxBytes = MAX_BYTES } = options
  const budget = currentBudget()
  const remaining = budget.milliseconds
  if (budget.documents === 0 || budget.bytes <= 0 || remaining <= 0)
    throw new CredoError('the message names more documents than one may')
  budget.documents--
  const responseBytes = Math.min(maxBytes, budget.bytes)
  const sent = options.body
  const attempt = {
    url,
    headers: { accept, ...(sent === undefined ? {} : { 'content-type': 'application/json' }) },
    policy: { local: settings().LOCAL_STAGE },
    limits: {
      connectMs: Math.min(2_000, remaining),
      attemptMs: Math.min(4_000, remaining),
      responseBytes,
    },
  }
  const outcome = await (sent === undefined ? get(attempt) : post({ ...attempt, body: sent }))
  const { status = 0, headers, body, failure } = outcome
  budget.bytes -= Buffer.byteLength(body)
  budget.milliseconds -= outcome.milliseconds
  if (status >= 300 && status < 400 && headers.location !== undefined && redirects > 0 && sent === undefined)
    return follow(new URL(headers.location, url).href, options, redirects - 1)
  if (status !== 200 || failure !== undefined) throw new CredoError(`no document at ${url}: ${failure ?? status}`)
  // The body was cut off there, and the rest of a line-based format might look complete.
  if (Buffer.byteLength(body) >= responseBytes) throw new CredoError(`the document at ${url} is too large`)
  return body
}

/** The document of a did:web: this service's own from the table, others through the guarded client. Throws if there is none. */
const readWebDocument = async (did: string, id: string): Promise<unknown> => {
  if (isOurWebDid(did)) {
    const hosted = await ourWebDocument(currentUnit(), did)
    if (hosted === undefined) throw new CredoError(`the DID ${did} does not exist`)
    return hosted
  }
  const [host = '', ...path] = id.split(':').map(decodeURIComponent)
  const file = path.length === 0 ? '.well-known/did.json' : `${path.join('/')}/did.json`
  return JSON.parse(await readText(`https://${host}/${file}`))
}

/** Credo's did:web resolver with the guarded client. https://w3c-ccg.github.io/did-method-web/#read-resolve */
export class GuardedWebDidResolver extends WebDidResolver {
  override async resolve(_agentContext: AgentContext, did: string, { id }: ParsedDid): Promise<DidResolutionResult> {
    try {
      const document = await readWebDocument(did, id)
      if (!isObject(document) || document.id !== did) throw new CredoError('the document is of another DID')
      if (!isReadableDocument(document)) throw new CredoError('the document is too large')
      const didDocument = JsonTransformer.fromJSON(document, DidDocument)
      return { didDocument, didDocumentMetadata: {}, didResolutionMetadata: { contentType: 'application/did+ld+json' } }
    } catch (error) {
      const message = error instanceof Error ? error.message : 'unknown'
      return { didDocument: null, didDocumentMetadata: {}, didResolutionMetadata: { error: 'notFound', message } }
    }
  }
}
