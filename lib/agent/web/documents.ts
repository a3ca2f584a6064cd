/** Reads documents of the web that other agents name, behind the address guard and within a budget. */
import { CredoError } from '@credo-ts/core'
import { redirectOf } from '../../egress/follow.ts'
import { describeUnread, type Get, get, type PostOutcome, post } from '../../egress/post.ts'
import { AgentError } from '../../errors.ts'
import { settings } from '../../settings.ts'
import { runCounted } from '../../store/count.ts'
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
/** The same where anybody can send the message that names them. */
const MAX_UNSOLICITED_MS = 2_000
/**
 * Maximum number of requests that an agent makes at the same time for such messages: each holds a function until a host
 * answers.
 */
const MAX_AT_ONCE = 10
/** Longer than a request for such a message takes. */
const WINDOW_SECONDS = 10
/** w3id.org redirects to the documents. */
const MAX_REDIRECTS = 3

interface Budget {
  documents: number
  bytes: number
  /** Time spent waiting for responses; computing in between does not count. */
  milliseconds: number
  /** The first one of which it is unknown whether there is such a document. */
  unread?: UnreadableDocumentError
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

/** Nobody knows whether there is such a document: its host has not answered as one does, or with too much. */
export class UnreadableDocumentError extends CredoError {
  /** With the port. */
  readonly host: string | undefined

  constructor(message: string, host?: string) {
    super(message)
    this.host = host
  }
}

/** The host because of which a document could not be read in the running unit of work, if callers may know it. */
export const unreadHost = (): string | undefined => currentBudget().unread?.host

/**
 * The error `registry.unavailable` if a document could not be read in the running unit of work. Resolvers and libraries
 * make nothing of it but that there is none.
 */
export const unreadDocument = (): AgentError | undefined => {
  const cause = currentBudget().unread
  const { host } = cause ?? {}
  const message = `a document of ${host ?? 'another host'} could not be read`
  return cause && new AgentError('registry.unavailable', message, { cause, host })
}

/** Called where another document stands in for those that could not be read: nothing fails because of them. */
export const forgetUnread = (): void => {
  delete currentBudget().unread
}

/** Runs `act`. If it fails and a document could not be read, it throws `registry.unavailable`: `act` may succeed later. */
export const withReadErrors = async <T>(act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    throw unreadDocument() ?? error
  }
}

/** Notes that there may be a document. `host`: for callers, the one that should have it. */
export const unreadable = (message: string, host?: string): UnreadableDocumentError => {
  const error = new UnreadableDocumentError(message, host)
  currentBudget().unread ??= error
  return error
}

/** Statuses by which a host says that there is no such document. */
const ABSENT = [404, 410]

interface ReadOptions {
  /** Media types. */
  accept?: string
  /** In bytes; larger documents are rejected. */
  maxBytes?: number
  maxRedirects?: number
  /** Of an operator: callers do not learn it. */
  isHostHidden?: boolean
  /** JSON to POST; without it the request is a GET. Redirects of a POST are not followed. */
  body?: string
}

/**
 * Reads a text from the web within the budget of the running unit of work. Every address, also of redirects, is checked
 * at connect time. Throws a CredoError; an `UnreadableDocumentError` if there may be such a document.
 */
export const readText = (url: string, options: ReadOptions = {}): Promise<string> =>
  follow(url, options, options.maxRedirects ?? MAX_REDIRECTS)

const follow = async (url: string, options: ReadOptions, redirects: number): Promise<string> => {
  const { accept = 'application/ld+json, application/did+ld+json, application/json', maxBytes = MAX_BYTES } = options
  const budget = currentBudget()
  const host = options.isHostHidden ? undefined : URL.parse(url)?.host
  const remaining = budget.milliseconds - (currentMessage().isUnsolicited ? MAX_TOTAL_MS - MAX_UNSOLICITED_MS : 0)
  // Not noted as unread: contexts and DIDs of JSON-LD are not cached, so they would be too many each time.
  if (budget.documents === 0 || budget.bytes <= 0)
    throw new UnreadableDocumentError('the message names too many documents')
  if (remaining <= 0) throw unreadable('the documents of the message take too long to read', host)
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
  // What the guard refuses has no document that anybody else could read.
  if (failure === 'address' || ABSENT.includes(status))
    throw new CredoError(`no document at ${url}: ${failure === 'address' ? 'its address is not allowed' : status}`)
  if (status !== 200 || failure !== undefined)
    throw unreadable(`the document at ${url} can not be read: ${describeUnread(outcome)}`, host)
  // The part that was read of a line-based format might look complete.
  if (isCut) throw unreadable(`the document at ${url} is too large`, host)
  return body
}

/** A response, and whether its body was cut off. */
interface Reading {
  outcome: PostOutcome
  isCut: boolean
}

const READ = Symbol('responses that the operation has read')

/**
 * Sends a request once for the whole operation: a repetition after a conflict reads the same response, and spends as
 * much of its budget. A request that the same try makes again is sent again.
 */
const readOnce = (attempt: Get, posted: string | undefined, responseBytes: number): Promise<Reading> => {
  const readings = currentUnit().operationSlot(READ, () => new Map<string, Promise<Reading>>())
  const times = currentUnit().slot(READ, () => new Map<string, number>())
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

/** Throws `quota.exceeded`, which resolvers make a missing document of: so the unit of work keeps it. */
const readCounted = (request: () => Promise<PostOutcome>): Promise<PostOutcome> => {
  const unit = currentUnit()
  const message = 'too many documents of other agents are being read for this agent'
  const count = { tenant: unit.tenant, of: 'readings', seconds: WINDOW_SECONDS, max: MAX_AT_ONCE, message }
  return unit.recordFailure(() => runCounted(count, request))
}
