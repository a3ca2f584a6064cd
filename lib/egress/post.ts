/**
 * The HTTP client: one POST or GET to an untrusted host, with the address guard and limits. Failures of the host are an
 * outcome and are not thrown.
 */
import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { type AddressPolicy, AddressRejectedError, guardedLookup, invalidUrlReason } from './address-guard.ts'
import { ContentCodingError, decodeContent, WITHOUT_CODING } from './content-coding.ts'

/**
 * `address`: the guard rejected it; `connect`: no connection; `response`: the response is not HTTP, or the content
 * coding of a document can't be decoded; `reset`: the connection broke.
 */
export type PostFailure = 'address' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'response'

interface PostLimits {
  /** From the start until the connection is usable (name, TCP and TLS), in ms. Default 3 s. */
  connectMs: number
  /** The whole attempt, in ms. Default 15 s. */
  attemptMs: number
  /** Maximum number of bytes of the response body that are read; then the connection is closed. Default 64 KiB. */
  responseBytes: number
}

export const POST_LIMITS: PostLimits = { connectMs: 3_000, attemptMs: 15_000, responseBytes: 64 * 1024 }

export interface Get {
  url: string
  headers: Record<string, string>
  policy: AddressPolicy
  limits?: Partial<PostLimits>
  /** For tests: the resolver behind the guard, and the trusted certificate authorities. */
  resolve?: LookupFunction
  authorities?: string
}

export interface Post extends Get {
  body: string
}

export interface PostOutcome {
  /** Of the response; present as soon as its head was read, even if reading the body failed. */
  status?: number
  headers: Pick<IncomingHttpHeaders, 'retry-after' | 'location'>
  /** The part of the response body that was read, as UTF-8 and as bytes. */
  body: string
  bytes?: Uint8Array
  /** Number of bytes for limits: those received, or after decoding if that is more. */
  size?: number
  milliseconds: number
  failure?: PostFailure
  /** The code of the failure, for logs and `lastError`: never contents. */
  detail?: string
}

/**
 * 2xx: the receiver has accepted it. If the body of the response breaks off afterwards, this is still true, and a
 * repetition would be a duplicate.
 */
export const isSuccess = ({ status }: PostOutcome): boolean => status !== undefined && status >= 200 && status < 300

/** Whether a response says that its document is at another address. */
export const isRedirect = ({ status = 0, headers: { location = '' } }: PostOutcome): boolean =>
  status >= 300 && status < 400 && location !== ''

/** The failure for items and logs: a status or an error code, no content. */
export const describeOutcome = ({ status, failure, detail }: PostOutcome): string =>
  status === undefined ? `${failure}: ${detail}` : `status ${status}`

/** Why a document can't be read, for the caller of the API: without the addresses of a name. */
export const describeUnread = ({ status, failure, detail }: PostOutcome): string =>
  failure === 'response' ? `${detail}` : `${failure ?? status}`

/** The stage of an attempt, to distinguish failures with the same code (ECONNRESET). */
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
 * A new connection for each attempt: a connection that is kept open while Lambda freezes the process is stale, and a
 * POST on it may have arrived or not.
 */
const startRequest = ({ url, headers, policy, resolve, authorities }: Get, body: string | undefined): ClientRequest => {
  const target = new URL(url)
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    // A new agent: unlike the global one it ignores proxies of the environment (NODE_USE_ENV_PROXY).
    agent: false as const,
    lookup: guardedLookup(policy, resolve),
    headers: { 'user-agent': 'serverless-agent', ...WITHOUT_CODING, ...headers, ...length },
  }
  if (target.protocol === 'http:') return httpRequest(target, options)
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment has no effect.
  return httpsRequest(target, {
    ...options,
    rejectUnauthorized: true,
    ...(authorities === undefined ? {} : { ca: authorities }),
  })
}

/** Posts once. Redirects are not followed: a 3xx is a normal outcome. Never throws for failures of the host. */
export const post = (attempt: Post): Promise<PostOutcome> => sendRequest(attempt, attempt.body)

/**
 * Gets once. The content of a document is decoded. A redirect is returned without its body. Never throws for failures
 * of the host.
 */
export const get = (attempt: Get): Promise<PostOutcome> => sendRequest(attempt, undefined)

const sendRequest = (attempt: Get, body: string | undefined): Promise<PostOutcome> => {
  const started = performance.now()
  const limits = { ...POST_LIMITS, ...attempt.limits }
  const outcome: PostOutcome = { headers: {}, body: '', milliseconds: 0 }
  const reason = invalidUrlReason(attempt.url, attempt.policy)
  if (reason !== undefined) return Promise.resolve({ ...outcome, failure: 'address', detail: reason })

  return new Promise((resolve) => {
    const request = startRequest(attempt, body)
    const chunks: Buffer[] = []
    let size = 0
    let stage: Stage = 'connect'
    let hasEnded = false
    // Errors after this are caused by closing the connection.
    const end = (failure?: PostFailure, detail?: string) => {
      if (hasEnded) return
      hasEnded = true
      clearTimeout(connectTimer)
      clearTimeout(attemptTimer)
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
      const content = await decodeContent(Buffer.concat(chunks), contentEncoding, limits.responseBytes)
      chunks.splice(0, chunks.length, content ?? Buffer.alloc(0))
      size = Math.max(size, content?.length ?? limits.responseBytes)
    }
    const connectTimer = setTimeout(() => end('connect', `no connection in ${limits.connectMs} ms`), limits.connectMs)
    const attemptTimer = setTimeout(() => end('timeout', `not done in ${limits.attemptMs} ms`), limits.attemptMs)

    request.on('socket', (socket) => {
      const secure = new URL(attempt.url).protocol === 'https:'
      const onConnected = () => {
        clearTimeout(connectTimer)
        stage = 'reset'
      }
      socket.on('connect', secure ? () => (stage = 'tls') : onConnected)
      socket.on('secureConnect', onConnected)
    })
    request.on('error', fail)
    // An unexpected 101 emits no other event.
    request.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy()
      outcome.status = statusCode
      end()
    })
    request.on('response', (response) => {
      outcome.status = response.statusCode ?? 0
      const { 'retry-after': retryAfter, location } = response.headers
      outcome.headers = { 'retry-after': retryAfter, location }
      // The body of a redirect is not needed, and would count against the limits of the document.
      if (body === undefined && isRedirect(outcome)) return end()
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size >= limits.responseBytes) end()
      })
      response.on('end', () => {
        if (body !== undefined || outcome.status !== 200) return end()
        decode(response.headers['content-encoding']).then(() => end(), fail)
      })
      response.on('error', fail)
    })
    request.end(body)
  })
}
