/** Documents that others name and the agent reads from the web, behind the address guard and on a budget. */
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
import { hasLongIdentifier } from './identifiers.ts'
import { isSmall } from './readable-message.ts'

/** A context or DID document; what is larger is not read. */
const MAX_BYTES = 256 * 1024
/** Of one unit of work, redirects included: AnonCreds of several issuers take as many. */
const MAX_DOCUMENTS = 20
/** Of these, from where JSON-LD is read: contexts and DIDs that a document names. */
const MAX_JSON_LD_DOCUMENTS = 10
const MAX_TOTAL_BYTES = 1024 * 1024
/** A request waits for them: all documents of a unit of work together, in ms. */
const MAX_TOTAL_MS = 5_000
/** w3id.org leads to where a context really is. */
const MAX_REDIRECTS = 3

interface Budget {
  documents: number
  bytes: number
  /** Of waiting for answers: what the agent computes between two of them does not count. */
  milliseconds: number
}

const BUDGET = Symbol('budget of web documents')

/** What the running unit of work may still read. */
const currentBudget = (): Budget =>
  currentUnit().slot(BUDGET, () => ({
    documents: MAX_DOCUMENTS,
    bytes: MAX_TOTAL_BYTES,
    milliseconds: MAX_TOTAL_MS,
  }))

/** Called where JSON-LD is read: the running unit of work reads at most ten documents more. */
export const boundDocumentsOfJsonLd = (): void => {
  const budget = currentBudget()
  budget.documents = Math.min(budget.documents, MAX_JSON_LD_DOCUMENTS)
}

export interface ReadOptions {
  /** Media types. */
  accept?: string
  /** What is larger is not read. */
  maxBytes?: number
  maxRedirects?: number
  /** JSON that is posted; nothing else is. A redirect of it is not followed. */
  body?: string
}

/**
 * Reads a text from the web, in the running unit of work and within its budget. Every address on the way is checked at
 * connect time. Throws a CredoError.
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
  // It was cut off there: what is left of a text in lines may look whole.
  if (Buffer.byteLength(body) >= responseBytes) throw new CredoError(`the document at ${url} is too large`)
  return body
}

/** The document of a did:web: this service's own out of the table, others' by the guarded client. Throws where there is none. */
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

/** did:web as Credo resolves it, but for the connection. https://w3c-ccg.github.io/did-method-web/#read-resolve */
export class GuardedWebDidResolver extends WebDidResolver {
  override async resolve(_agentContext: AgentContext, did: string, { id }: ParsedDid): Promise<DidResolutionResult> {
    try {
      const document = await readWebDocument(did, id)
      if (!isObject(document) || document.id !== did) throw new CredoError('the document is of another DID')
      if (!isSmall(document) || hasLongIdentifier(document)) throw new CredoError('the document is too large')
      const didDocument = JsonTransformer.fromJSON(document, DidDocument)
      return { didDocument, didDocumentMetadata: {}, didResolutionMetadata: { contentType: 'application/did+ld+json' } }
    } catch (error) {
      const message = error instanceof Error ? error.message : 'unknown'
      return { didDocument: null, didDocumentMetadata: {}, didResolutionMetadata: { error: 'notFound', message } }
    }
  }
}
