/** HTTP for the tests of the API: paths and bodies are sent unchanged, connections are kept alive, every request ends. */
import { Agent, request } from 'node:http'

/** Timeout in ms. */
const END = 5 * 60_000

export interface HttpRequest {
  method: string
  /** Path and query, as they stand in the request line. */
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  text: string
}

export type Send = (asked: HttpRequest) => Promise<HttpAnswer>

/** Sends to a base URL, over `connections` connections at most. Rejects when there is no answer in time. */
export const httpTo = (baseUrl: string, connections = 8): Send => {
  const { hostname, port } = new URL(baseUrl)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send: Send = (asked) => {
    const { method, path, headers = {}, body = '' } = asked
    return new Promise((resolve, reject) => {
      const length = Buffer.byteLength(body)
      const outgoing = request({
        agent,
        hostname,
        port,
        method,
        path,
        headers: { ...headers, ...(length > 0 && { 'content-length': length }) },
        signal: AbortSignal.timeout(END),
      })
      const fail = (error: Error) => reject(new Error(`${method} ${path.slice(0, 200)}: ${error.message}`))
      outgoing.once('error', (error: NodeJS.ErrnoException) => {
        // The server has closed an idle connection: https://nodejs.org/docs/latest-v24.x/api/http.html#requestreusedsocket
        if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(send(asked))
        else fail(error)
      })
      outgoing.once('response', (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.once('error', fail)
        incoming.once('end', () => {
          const named = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
          const text = Buffer.concat(chunks).toString()
          resolve({ status: incoming.statusCode ?? 0, headers: Object.fromEntries(named), text })
        })
      })
      outgoing.end(body)
    })
  }
  return send
}
