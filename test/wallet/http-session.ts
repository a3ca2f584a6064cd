/** One request to the wallet's endpoint, as the transport session that Credo answers by or closes. */
import type { ServerResponse } from 'node:http'
import type { AgentContext } from '@credo-ts/core'
import {
  type DidCommEncryptedMessage,
  type DidCommMessage,
  DidCommMimeType,
  type DidCommTransportSession,
} from '@credo-ts/didcomm'

/**
 * Credo closes the session as soon as it has unpacked a message that asks for no return route: the sender has its 200
 * before the message is handled, as with Credo's own HTTP transport.
 */
export class HttpSession implements DidCommTransportSession {
  readonly type = 'http'
  readonly id = crypto.randomUUID()
  keys?: NonNullable<DidCommTransportSession['keys']>
  inboundMessage?: DidCommMessage
  connectionId?: string
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  async send(_agentContext: AgentContext, message: DidCommEncryptedMessage): Promise<void> {
    if (this.#response.writableEnded) throw new Error('this request was answered already')
    this.#response.writeHead(200, { 'content-type': DidCommMimeType.V1 }).end(JSON.stringify(message))
  }

  async close(): Promise<void> {
    this.#end(200)
  }

  /** Answers the sender that the message failed, unless it has an answer already. */
  refuse(): void {
    this.#end(500)
  }

  #end(status: number): void {
    if (!this.#response.writableEnded) this.#response.writeHead(status).end()
  }
}
