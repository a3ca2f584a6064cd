/** The wallet's outbound transport: a message counts as sent when the agent has accepted it and the wallet has handled the reply. */
import { CredoError } from '@credo-ts/core'
import type { DidCommEncryptedMessage, DidCommOutboundPackage, DidCommOutboundTransport } from '@credo-ts/didcomm'
import { isAccepted, type Network, post } from './post.ts'

export interface PostedEnvelope {
  endpoint: string
  envelope: DidCommEncryptedMessage
  /** HTTP status, or `undefined` without an answer. */
  status: number | undefined
}

/** Credo's own transport treats a 500 as success, and handles a reply long after `sendMessage`. */
export class AwaitingTransport implements DidCommOutboundTransport {
  readonly supportedSchemes = ['http', 'https']
  /** Every delivery, in the order of the answers. */
  readonly posted: PostedEnvelope[] = []
  readonly #network: Network
  readonly #handleAnswer: (envelope: string) => Promise<void>
  readonly #stopped = new AbortController()

  constructor(network: Network, handleAnswer: (envelope: string) => Promise<void>) {
    this.#network = network
    this.#handleAnswer = handleAnswer
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    this.#stopped.abort(new CredoError('the wallet has stopped'))
  }

  async sendMessage({ endpoint, payload }: DidCommOutboundPackage): Promise<void> {
    if (!endpoint) throw new CredoError('there is no endpoint to send this message to')
    const answer = await this.#network(this.#deliver)(endpoint, payload, this.#stopped.signal)
    if (!isAccepted(answer)) throw new CredoError(`${endpoint} answered ${answer.status}`)
    if (answer.body !== '') await this.#handleAnswer(answer.body)
  }

  readonly #deliver = async (endpoint: string, envelope: DidCommEncryptedMessage, signal: AbortSignal) => {
    const posted: PostedEnvelope = { endpoint, envelope, status: undefined }
    try {
      const answer = await post(endpoint, envelope, signal)
      posted.status = answer.status
      return answer
    } finally {
      this.posted.push(posted)
    }
  }
}
