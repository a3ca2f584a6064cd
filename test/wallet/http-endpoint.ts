/** The wallet's own HTTP endpoint on the loopback interface; it can go away for a while and come back at the same port. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { HttpSession } from './http-session.ts'

/** Handles an envelope; an error is a 500 for the sender, if the session is still open. */
export type EnvelopeHandler = (envelope: string, session: HttpSession) => Promise<void>

export class HttpEndpoint {
  /** Received envelopes in order of arrival, duplicates included. */
  readonly envelopes: string[] = []
  readonly #handle: EnvelopeHandler
  #server: Server | undefined
  #port = 0

  private constructor(handle: EnvelopeHandler) {
    this.#handle = handle
  }

  /** Listens at a port that the system picks. */
  static async listen(handle: EnvelopeHandler): Promise<HttpEndpoint> {
    const endpoint = new HttpEndpoint(handle)
    await endpoint.resume()
    return endpoint
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** From now on, connections are refused, and those that are open are cut. */
  async pause(): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = undefined
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }

  async resume(): Promise<void> {
    if (this.#server) return
    const server = createServer((request, response) => void this.#receive(request, response))
    server.listen(this.#port, '127.0.0.1')
    await once(server, 'listening')
    this.#server = server
    const address = server.address()
    if (address !== null && typeof address === 'object') this.#port = address.port
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = new HttpSession(response)
    try {
      const envelope = await text(request)
      this.envelopes.push(envelope)
      await this.#handle(envelope, session)
      await session.close()
    } catch {
      session.refuse()
    }
  }
}
