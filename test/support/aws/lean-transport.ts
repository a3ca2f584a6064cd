/**
 * Takes a client of the SDK to an emulator on this machine by the shortest way: no signature, which emulators don't check, and no more of
 * HTTP than they speak. The two are four fifths of the processor time of a request, and the tests make a hundred thousand.
 */
import { connect, type Socket } from 'node:net'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

type Handler = DynamoDBClient['config']['requestHandler']
type Request = Parameters<Handler['handle']>[0]

interface Answer {
  statusCode: number
  headers: Record<string, string>
  body: Uint8Array
}

const HEAD_END = Buffer.from('\r\n\r\n')
const CLOSED = 'ECONNRESET'

const parseHead = (text: string): Omit<Answer, 'body'> => {
  const [status = '', ...lines] = text.split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  return { statusCode: Number(status.split(' ')[1]), headers }
}

/** One request at a time; emulators answer with `Content-Length`. */
class Connection {
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #head: Omit<Answer, 'body'> | undefined
  #bodyStart = 0
  #answer: PromiseWithResolvers<Answer> | undefined
  closed = false

  constructor(host: string, port: number) {
    this.#socket = connect({ host, port, noDelay: true })
    this.#socket.on('data', (chunk) => this.#receive(chunk))
    this.#socket.on('error', (error) => this.#end(error))
    this.#socket.on('close', () => this.#end(Object.assign(new Error('socket hang up'), { code: CLOSED })))
  }

  ask(head: string, body: Uint8Array): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>()
    this.#answer = answer
    this.#socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]))
    return answer.promise
  }

  destroy(error?: Error): void {
    if (error !== undefined) this.#end(error)
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    if (this.#head === undefined) {
      const end = this.#received.indexOf(HEAD_END)
      if (end < 0) return
      this.#head = parseHead(this.#received.toString('latin1', 0, end))
      this.#bodyStart = end + HEAD_END.length
    }
    const length = Number(this.#head.headers['content-length'])
    if (!Number.isInteger(length)) this.destroy(new Error('an emulator answered without Content-Length'))
    if (!(this.#received.length >= this.#bodyStart + length)) return
    const body = this.#received.subarray(this.#bodyStart, this.#bodyStart + length)
    const answer = { ...this.#head, body }
    this.#head = undefined
    this.#received = Buffer.alloc(0)
    this.#answer?.resolve(answer)
  }

  #end(error: Error): void {
    this.closed = true
    this.#answer?.reject(error)
  }
}

const asBytes = (body: unknown): Uint8Array => (body instanceof Uint8Array ? body : Buffer.from(String(body ?? '')))

class LeanHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' }
  readonly #idle: Connection[] = []
  readonly #all = new Set<Connection>()
  readonly #region: () => Promise<string>

  constructor(region: () => Promise<string>) {
    this.#region = region
  }

  async handle({ hostname, port, method, path, headers, body }: Request, options?: { abortSignal?: unknown }) {
    const region = await this.#region()
    const connection = this.#take(hostname, Number(port))
    const signal = options?.abortSignal
    const abort = () => connection.destroy(Object.assign(new Error('aborted'), { name: 'AbortError' }))
    if (signal instanceof AbortSignal) {
      if (signal.aborted) abort()
      signal.addEventListener('abort', abort, { once: true })
    }
    const bytes = asBytes(body)
    const lines = Object.entries({
      ...headers,
      // Emulators take no request without these, and read the region in them.
      'x-amz-date': '20260101T000000Z',
      authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/any/aws4_request, SignedHeaders=host, Signature=0`,
      'content-length': String(bytes.length),
    })
    const head = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
    try {
      const response = await connection.ask(head, bytes)
      this.#idle.push(connection)
      return { response }
    } catch (error) {
      this.#all.delete(connection)
      throw error
    } finally {
      if (signal instanceof AbortSignal) signal.removeEventListener('abort', abort)
    }
  }

  destroy(): void {
    for (const connection of this.#all) connection.destroy()
    this.#all.clear()
  }

  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): object {
    return {}
  }

  #take(host: string, port: number): Connection {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) if (!idle.closed) return idle
    const connection = new Connection(host, port)
    this.#all.add(connection)
    return connection
  }
}

interface LeanClient {
  config: { region: () => Promise<string>; requestHandler: unknown }
  middlewareStack: { remove(name: string): boolean }
}

/** To be called before the client is used. */
export const useLeanTransport = ({ config, middlewareStack }: LeanClient): void => {
  config.requestHandler = new LeanHandler(config.region)
  middlewareStack.remove('httpSigningMiddleware')
}
