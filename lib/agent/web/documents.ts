/** Fetches documents that other agents name, through the address guard and within a budget. */
import { CredoError } from '@credo-ts/core'
import { redirectOf } from '../../egress/follow.ts'
import { describeUnread, type Get, get, type PostOutcome, post } from '../../egress/post.ts'
import { AgentError } from '../../errors.ts'
import { settings } from '../../settings.ts'
import { withConcurrencyLimit } from '../../store/limits.ts'
import { currentUnit } from '../../store/transaction.ts'
import { currentMessage } from '../credo/index.ts'

/** Maximum size of a context or DID document. */
const MAX_BYTES = 256 * 1024
/** Maximum number of requests in a unit of work, redirects included. AnonCreds of several issuers need this many. */
const MAX_DOCUMENTS = 20
/** Maximum number of requests after JSON-LD processing has started: contexts and DIDs that a document names. */
const MAX_JSON_LD_DOCUMENTS = 10
const MAX_TOTAL_BYTES = 1024 * 1024
/** Time limit in ms for all documents of a unit of work, because a request waits for them. */
const MAX_TOTAL_MS = 5_000
/** The same for documents that an unsolicited message names. */
const MAX_UNSOLICITED_MS = 2_000
/**
 * Maximum number of concurrent requests of an agent for such messages: each occupies a function until the host
 * responds. /
 */
const MAX_CONCURRENT = 10
/** Longer than a request for such a message takes. */
const WINDOW_SECONDS = 10
/** w3id.org redirects to the documents. */
const MAX_REDIRECTS = 3

interface Budget {
  documents: number
  bytes: number
  /** Time spent waiting for responses; computing in between does not count. */
  milliseconds: number
  /** The error of the first document that could not be read. */
  unread?: UnreadableDocumentError
}

const BUDGET = Symbol('budget of web documents')

/** The remaining budget of the running unit of work. */
const currentBudget = (): Budget =>
  currentUnit().moduleState(BUDGET, () => ({
    documents: MAX_DOCUMENTS,
    bytes: MAX_TOTAL_BYTES,
    milliseconds: MAX_TOTAL_MS,
  }))

/** Called before JSON-LD processing: limits the running unit of work to ten more documents. */
export const boundDocumentsOfJsonLd = (): void => {
  const budget = currentBudget()
  budget.documents = Math.min(budget.documents, MAX_JSON_LD_DOCUMENTS)
}

/** The document may exist, but its host did not respond properly, or the response is too large. */
export class UnreadableDocumentError extends CredoError {
  /** With the port. */
  readonly host: string | undefined

  constructor(message: string, host?: string) {
    super(message)
    this.host = host
  }
}

/** The host of the first document that could not be read in the running unit of work, if callers may know it. */
export const unreadHost = (): string | undefined => currentBudget().unread?.host

/**
 * The error `registry.unavailable` if a document could not be read in the running unit of work. Resolvers and libraries
 * report such a document as missing.
 */
export const unreadDocument = (): AgentError | undefined => {
  const cause = currentBudget().unread
  const { host } = cause ?? {}
  const message = `a document of ${host ?? 'another host'} could not be read`
  return cause && new AgentError('registry.unavailable', message, { cause, host })
}

/** Called if another document replaces those that could not be read, so that they cause no error. */
export const clearUnread = (): void => {
  delete currentBudget().unread
}

/**
 * Runs `act`. If it fails and a document could not be read, it throws `registry.unavailable`: `act` may succeed later.
 */
export const withReadErrors = async <T>(act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    throw unreadDocument() ?? error
  }
}

/** Records that a document could not be read. `host`: its host, for callers. */
export const recordUnreadable = (message: string, host?: string): UnreadableDocumentError => {
  const error = new UnreadableDocumentError(message, host)
  currentBudget().unread ??= error
  return error
}

/** Statuses of a missing document. */
const NOT_FOUND_STATUSES = [404, 410]

interface ReadOptions {
  /** Media types. */
  accept?: string
  /** In bytes; larger documents are rejected. */
  maxBytes?: number
  maxRedirects?: number
  /** Whether to hide the host from callers, because an operator has configured it. */
  isHostHidden?: boolean
  /** JSON to POST; without it the request is a GET. Redirects of a POST are not followed. */
  body?: string
}

/**
 * Fetches a text within the budget of the running unit of work. Every address, also of redirects, is checked at connect
 * time. Throws a CredoError; an `UnreadableDocumentError` if the document may exist.
 */
export const readText = (url: string, options: ReadOptions = {}): Promise<string> =>
  follow(url, options, options.maxRedirects ?? MAX_REDIRECTS)

const follow = async (url: string, options: ReadOptions, redirects: number): Promise<string> => {
  const { accept = 'application/ld+json, application/did+ld+json, application/json', maxBytes = MAX_BYTES } = options
  const budget = currentBudget()
  const host = options.isHostHidden ? undefined : URL.parse(url)?.host
  const remaining = budget.milliseconds - (currentMessage().isUnsolicited ? MAX_TOTAL_MS - MAX_UNSOLICITED_MS : 0)
  // Not recorded as unread, because a repetition would fail too: contexts and DIDs of JSON-LD are not cached.
  if (budget.documents === 0 || budget.bytes <= 0)
    throw new UnreadableDocumentError('the message names too many documents')
  if (remaining <= 0) throw recordUnreadable('the documents of the message take too long to read', host)
  budget.documents--
  const responseBytes = Math.min(maxBytes, budget.bytes)
  const { body: posted } = options
  const attempt = {
    url,
    headers: { accept, ...(posted === undefined ? {} : { 'content-type': 'application/json' }) },
    policy: { local: settings().LOCAL_STAGE },
    limits: {
      connectMs: Math.min(2_000, remaining),
      attemptMs: Math.min(4_000, remaining),
      responseBytes,
    },
  }
  const { outcome, isCut } = await readOnce(attempt, posted, responseBytes)
  const { status = 0, body, size = 0, failure } = outcome
  budget.bytes -= size
  budget.milliseconds -= outcome.milliseconds
  const next = redirects > 0 && posted === undefined ? redirectOf(outcome, url) : undefined
  if (next !== undefined) return follow(next, options, redirects - 1)
  // Permanent errors: the document does not exist, or the address guard rejects its host.
  if (failure === 'address' || NOT_FOUND_STATUSES.includes(status))
    throw new CredoError(`no document at ${url}: ${failure === 'address' ? 'its address is not allowed' : status}`)
  if (status !== 200 || failure !== undefined)
    throw recordUnreadable(`the document at ${url} cannot be read: ${describeUnread(outcome)}`, host)
  // Part of a line-based format might look complete.
  if (isCut) throw recordUnreadable(`the document at ${url} is too large`, host)
  return body
}

/** A response, and whether its body was cut off. */
interface Reading {
  outcome: PostOutcome
  isCut: boolean
}

const READ = Symbol('responses that the operation has read')

/**
 * Sends a request once for the whole operation: when the unit of work is repeated after a conflict, it gets the same
 * response and uses the same budget. A request that occurs twice within a unit of work is sent twice.
 */
const readOnce = (attempt: Get, posted: string | undefined, responseBytes: number): Promise<Reading> => {
  const readings = currentUnit().operationState(READ, () => new Map<string, Promise<Reading>>())
  const times = currentUnit().moduleState(READ, () => new Map<string, number>())
  const request = JSON.stringify([attempt.url, attempt.headers, posted])
  const time = (times.get(request) ?? 0) + 1
  times.set(request, time)
  const key = `${time} ${request}`
  const reading = readings.get(key) ?? read(attempt, posted, responseBytes)
  readings.set(key, reading)
  return reading
}

const read = async (attempt: Get, posted: string | undefined, responseBytes: number): Promise<Reading> => {
  const request = () => (posted === undefined ? get(attempt) : post({ ...attempt, body: posted }))
  const outcome = await (currentMessage().isUnsolicited ? readCounted(request) : request())
  return { outcome, isCut: (outcome.size ?? 0) >= responseBytes }
}

/** Throws `quota.exceeded`. The unit of work records it, because resolvers would report a missing document. */
const readCounted = (request: () => Promise<PostOutcome>): Promise<PostOutcome> => {
  const unit = currentUnit()
  const message = 'too many documents of other agents are being read for this agent'
  const count = { tenant: unit.tenant, of: 'readings', seconds: WINDOW_SECONDS, max: MAX_CONCURRENT, message }
  return unit.runRead(() => withConcurrencyLimit(count, request))
}
