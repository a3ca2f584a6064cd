/**
 * An HTTP relay in front of the service's public endpoints: it notes every answer to an envelope, and can deliver each several times. What is
 * read (a did:webvh and what it attests, tails files) passes through.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Delivery {
  /** As `/didcomm/<tenant>`. */
  path: string
  envelope: string
  status: number
  answer: string
}

const TYPE = 'application/ssi-agent-wire'

export class Relay {
  readonly deliveries: Delivery[] = []
  readonly url: string
  readonly #server: Server
  readonly #repeated = new Set<string>()
  #target = ''

  private constructor(server: Server, url: string) {
    this.#server = server
    this.url = url
    server.on('request', (request, response) => void this.#relay(request, response))
  }

  /** Listens at a port that the system picks. */
  static async listen(): Promise<Relay> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the relay has no port')
    return new Relay(server, `http://127.0.0.1:${address.port}`)
  }

  /** Where it leads to. */
  leadTo(baseUrl: string): void {
    this.#target = baseUrl
  }

  /** From now on every envelope to this path is delivered three times: twice concurrently, and again after the responses. */
  repeat(path: string): void {
    this.#repeated.add(path)
  }

  /** Delivers everything that came to a path once more, in the order of arrival. Returns the statuses. */
  async deliverAgain(path: string): Promise<number[]> {
    const envelopes = new Set(this.deliveredTo(path).map(({ envelope }) => envelope))
    const statuses: number[] = []
    for (const envelope of envelopes) statuses.push((await this.#deliver(path, envelope)).status)
    return statuses
  }

  deliveredTo(path: string): Delivery[] {
    return this.deliveries.filter((delivery) => delivery.path === path)
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #deliver(path: string, envelope: string, type = TYPE): Promise<Delivery> {
    const response = await fetch(`${this.#target}${path}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: envelope,
    })
    const delivery = { path, envelope, status: response.status, answer: await response.text() }
    this.deliveries.push(delivery)
    return delivery
  }

  /** Reads without authentication. */
  async #pass(path: string, response: ServerResponse): Promise<void> {
    const answer = await fetch(`${this.#target}${path}`)
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'content-type': type }).end(Buffer.from(await answer.arrayBuffer()))
  }

  /** The sender gets the first answer. */
  async #relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/'
    try {
      if (request.method === 'GET') return await this.#pass(path, response)
      const envelope = await text(request)
      const deliver = () => this.#deliver(path, envelope, request.headers['content-type'])
      const [first] = await Promise.all(this.#repeated.has(path) ? [deliver(), deliver()] : [deliver()])
      if (this.#repeated.has(path)) await deliver()
      response.writeHead(first.status, { 'content-type': TYPE }).end(first.answer)
    } catch {
      response.writeHead(502).end()
    }
  }
}
