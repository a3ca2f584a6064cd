/** The organization's webhook receiver in the demo: takes every event, and shows those whose signatures verify. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import * as v from 'valibot'

/** What the demo looks at of an event. */
const Event = v.object({
  type: v.string(),
  data: v.looseObject({
    sequence: v.number(),
    previousState: v.optional(v.string()),
    record: v.looseObject({ id: v.string(), state: v.optional(v.string()) }),
  }),
})

export interface Arrived extends v.InferOutput<typeof Event> {
  /** `webhook-id`. */
  id: string
}

interface Received {
  path: string
  headers: Record<string, string>
  body: string
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

export class WebhookReceiver {
  readonly #server: Server
  readonly #received: Received[] = []

  private constructor(server: Server) {
    this.#server = server
    server.on('request', async (request, response) => {
      const named = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
      this.#received.push({
        path: request.url ?? '',
        headers: Object.fromEntries(named),
        body: await bodyOf(request),
      })
      response.writeHead(204).end()
    })
  }

  /** Listens on a free port. */
  static async start(): Promise<WebhookReceiver> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new WebhookReceiver(server)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** What has arrived at a path, in order, and all of the secrets have signed. Throws for what none of them has. */
  arrived(path: string, ...secrets: string[]): Arrived[] {
    return this.#received
      .filter((one) => one.path === path)
      .flatMap((one) => {
        const events = secrets.flatMap((secret) => verified(one, secret) ?? [])
        if (events.length === 0) throw new Error(`an event at ${path} that nobody signed`)
        return events.length === secrets.length ? events.slice(0, 1) : []
      })
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** Undefined for what the secret did not sign. */
const verified = ({ headers, body }: Received, secret: string): Arrived | undefined => {
  let content: unknown
  try {
    content = new Webhook(secret).verify(body, headers)
  } catch (error) {
    if (error instanceof WebhookVerificationError) return undefined
    throw error
  }
  return { ...v.parse(Event, content), id: headers['webhook-id'] ?? '' }
}
