/**
 * The HTTP client: one guarded, bounded POST or GET to an address of a stranger, whose faults are an outcome, never a
 * throw.
 */
import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { type AddressPolicy, AddressRejectedError, guardedLookup, urlFault } from './address-guard.ts'
import { ContentCodingError, decoded, WITHOUT_CODING } from './content-coding.ts'

/**
 * `address`: the guard rejected it; `connect`: nobody answers there; `response`: the answer is not HTTP, or a
 * document is in a content coding that can't be read; `reset`: the connection broke.
 */
export type PostFailure = 'address' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'response'

interface PostLimits {
  /** From the start until the connection is usable (name, TCP and TLS), in ms. Default 3 s. */
  connectMs: number
  /** The whole attempt, in ms. Default 15 s. */
  attemptMs: number
  /** Bytes of the response body that are read at most; then the connection is closed. Default 64 KiB. */
  responseBytes: number
}

export const POST_LIMITS: PostLimits = { connectMs: 3_000, attemptMs: 15_000, responseBytes: 64 * 1024 }

export interface Get {
  url: string
  headers: Record<string, string>
  policy: AddressPolicy
  limits?: Partial<PostLimits>
  /** The resolver under the guard, and the authorities that are trusted besides the system's: for tests. */
  resolve?: LookupFunction
  authorities?: string
}

export interface Post extends Get {
  body: string
}

export interface PostOutcome {
  /** Of the response; present as soon as its head was read, whatever became of its body. */
  status?: number
  headers: Pick<IncomingHttpHeaders, 'retry-after' | 'location'>
  /** The part of the response body that was read, as UTF-8 and as it came. */
  body: string
  bytes?: Uint8Array
  /** Bytes that count against limits: those that came, or more if they were inflated. */
  size?: number
  milliseconds: number
  failure?: PostFailure
  /** The code of the failure, for logs and `lastError`: never contents. */
  detail?: string
}

/**
 * 2xx: the receiver has it. The head says so; a body that breaks off afterwards changes nothing, and a repeat would be
 * a duplicate.
 */
export const isTaken = ({ status }: PostOutcome): boolean => status !== undefined && status >= 200 && status < 300

/** Whether a response says that its document is at another address. */
export const isRedirect = ({ status = 0, headers: { location = '' } }: PostOutcome): boolean =>
  status >= 300 && status < 400 && location !== ''

/** What went wrong, for items and logs: a status or the code of a failure, nothing of a content. */
export const describeOutcome = ({ status, failure, detail }: PostOutcome): string =>
  status === undefined ? `${failure}: ${detail}` : `status ${status}`

/** Why a document can't be read, for who asked for it: not what a name leads to. */
export const describeUnread = ({ status, failure, detail }: PostOutcome): string =>
  failure === 'response' ? `${detail}` : `${failure ?? status}`

/** How far an attempt came, to tell failures apart that carry the same code (ECONNRESET). */
type Stage = 'connect' | 'tls' | 'reset'

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name)

const failureOf = (error: Error, stage: Stage): PostFailure => {
  if (error instanceof AddressRejectedError) return 'address'
  if (error instanceof ContentCodingError) return 'response'
  if ('syscall' in error && error.syscall === 'getaddrinfo') return 'dns'
  if (codeOf(error).startsWith('HPE_')) return 'response'
  return stage
}

/**
 * A connection of its own for every attempt: one kept open over a freeze of the function is stale, and a POST on it may
 * have arrived or not.
 */
const open = ({ url, headers, policy, resolve, authorities }: Get, body: string | undefined): ClientRequest => {
  const target = new URL(url)
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    // A fresh agent: unlike the global one it knows no proxy of the environment (NODE_USE_ENV_PROXY).
    agent: false as const,
    lookup: guardedLookup(policy, resolve),
    headers: { 'user-agent': 'serverless-agent', ...WITHOUT_CODING, ...headers, ...length },
  }
  if (target.protocol === 'http:') return httpRequest(target, options)
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment does not count.
  return httpsRequest(target, {
    ...options,
    rejectUnauthorized: true,
    ...(authorities === undefined ? {} : { ca: authorities }),
  })
}

/** Posts once. Redirects are not followed: a 3xx is a status like any other. Never throws for the peer's faults. */
export const post = (attempt: Post): Promise<PostOutcome> => exchange(attempt, attempt.body)

/**
 * Gets once. A document comes without its content coding. A redirect is the caller's business, and without a body. Never
 * throws for the peer's faults.
 */
export const get = (attempt: Get): Promise<PostOutcome> => exchange(attempt, undefined)

const exchange = (attempt: Get, sent: string | undefined): Promise<PostOutcome> => {
  const started = performance.now()
  const limits = { ...POST_LIMITS, ...attempt.limits }
  const outcome: PostOutcome = { headers: {}, body: '', milliseconds: 0 }
  const fault = urlFault(attempt.url, attempt.policy)
  if (fault !== undefined) return Promise.resolve({ ...outcome, failure: 'address', detail: fault })

  return new Promise((resolve) => {
    const request = open(attempt, sent)
    const chunks: Buffer[] = []
    let size = 0
    let stage: Stage = 'connect'
    let hasEnded = false
    // What the closing of the connection brings up afterwards is not the peer's doing.
    const end = (failure?: PostFailure, detail?: string) => {
      if (hasEnded) return
      hasEnded = true
      clearTimeout(connecting)
      clearTimeout(whole)
      const bytes = Buffer.concat(chunks).subarray(0, limits.responseBytes)
      Object.assign(outcome, { bytes, body: bytes.toString('utf8'), size: Math.min(size, limits.responseBytes) })
      outcome.milliseconds = Math.round(performance.now() - started)
      if (failure !== undefined) Object.assign(outcome, { failure, detail })
      resolve(outcome)
      request.destroy()
    }
    const fail = (error: Error) => {
      const isNamed = error instanceof AddressRejectedError || error instanceof ContentCodingError
      end(failureOf(error, stage), isNamed ? error.message : codeOf(error))
    }
    const decode = async (contentEncoding: string | undefined) => {
      const content = await decoded(Buffer.concat(chunks), contentEncoding, limits.responseBytes)
      chunks.splice(0, chunks.length, content ?? Buffer.alloc(0))
      size = Math.max(size, content?.length ?? limits.responseBytes)
    }
    const connecting = setTimeout(() => end('connect', `no connection in ${limits.connectMs} ms`), limits.connectMs)
    const whole = setTimeout(() => end('timeout', `not done in ${limits.attemptMs} ms`), limits.attemptMs)

    request.on('socket', (socket) => {
      const secure = new URL(attempt.url).protocol === 'https:'
      const usable = () => {
        clearTimeout(connecting)
        stage = 'reset'
      }
      socket.on('connect', secure ? () => (stage = 'tls') : usable)
      socket.on('secureConnect', usable)
    })
    request.on('error', fail)
    // Without this nothing tells of a 101 that nobody asked for.
    request.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy()
      outcome.status = statusCode
      end()
    })
    request.on('response', (response) => {
      outcome.status = response.statusCode ?? 0
      const { 'retry-after': retryAfter, location } = response.headers
      outcome.headers = { 'retry-after': retryAfter, location }
      // Nobody reads the text beside a redirect, which would use up what is left for the document.
      if (sent === undefined && isRedirect(outcome)) return end()
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size >= limits.responseBytes) end()
      })
      response.on('end', () => {
        if (sent !== undefined || outcome.status !== 200) return end()
        decode(response.headers['content-encoding']).then(() => end(), fail)
      })
      response.on('error', fail)
    })
    request.end(sent)
  })
}
