/** A holder's wallet: the peer that connects, talks, takes credentials and presents them. Nothing of it remains when it stops. */
import {
  type DidCommConnectionRecord,
  DidCommDidExchangeState,
  DidCommEventTypes,
  type DidCommMessageProcessedEvent,
  type DidCommMessageSentEvent,
} from '@credo-ts/didcomm'
import type { HolderAgent } from './holder-agent.ts'
import type { Journal } from './journal.ts'
import { type Answer, post } from './post.ts'
import { ProofAnswers } from './proof-answers.ts'
import { waitFor } from './wait.ts'
import { startParts, type WalletOptions, type WalletParts } from './wallet-parts.ts'

export class Wallet {
  /** The wallet's own did:key, the subject of its credentials. */
  readonly did: string
  /** Credo itself, for operations that this class lacks. */
  readonly agent: HolderAgent
  /** Messages, problem reports and errors so far. */
  readonly journal: Journal
  readonly #options: WalletOptions
  readonly #parts: WalletParts
  readonly #answers: ProofAnswers

  private constructor(options: WalletOptions, parts: WalletParts) {
    this.did = parts.did
    this.agent = parts.agent
    this.journal = parts.journal
    this.#options = options
    this.#parts = parts
    this.#answers = new ProofAnswers(parts.agent)
    this.#observe()
  }

  static async start(options: WalletOptions = {}): Promise<Wallet> {
    return new Wallet(options, await startParts(options))
  }

  /** Accepts an invitation from a scanned QR code. Resolves to the id of the new connection, if there is one. */
  async receive(invitationUrl: string): Promise<string | undefined> {
    const { handshake, label = 'Wallet' } = this.#options
    const invitation = await this.agent.didcomm.oob.parseInvitation(invitationUrl)
    if (handshake && invitation.handshakeProtocols) {
      invitation.handshakeProtocols = invitation.handshakeProtocols.filter((uri) => uri.includes(`/${handshake}/`))
      if (invitation.handshakeProtocols.length === 0) throw new Error(`this invitation does not offer ${handshake}`)
    }
    const { connectionRecord } = await this.agent.didcomm.oob.receiveInvitation(invitation, { label })
    return connectionRecord?.id
  }

  /** Accepts an invitation and waits until the connection is complete. */
  async connect(invitationUrl: string): Promise<DidCommConnectionRecord> {
    const connectionId = await this.receive(invitationUrl)
    if (connectionId === undefined) throw new Error('this invitation asks for no connection')
    return waitFor('the connection to be complete', async () => {
      const connection = await this.agent.didcomm.connections.getById(connectionId)
      return connection.state === DidCommDidExchangeState.Completed && connection
    })
  }

  sendMessage(connectionId: string, content: string) {
    return this.agent.didcomm.basicMessages.sendMessage(connectionId, content)
  }

  /** Fetches the messages that wait at the other agent for a wallet without an endpoint, until none is left. */
  async pickUp(connectionId: string, protocolVersion: 'v1' | 'v2' = 'v2'): Promise<void> {
    await this.agent.didcomm.messagePickup.pickupMessages({ connectionId, protocolVersion, awaitCompletion: true })
    await this.#parts.inbox.settled()
  }

  /** Basic messages of both directions, in the order in which the wallet sent or received them. */
  messages(connectionId?: string) {
    return this.agent.didcomm.basicMessages.findAllByQuery(connectionId === undefined ? {} : { connectionId })
  }

  connections() {
    return this.agent.didcomm.connections.getAll()
  }

  /** Credentials that the wallet holds. */
  credentials() {
    return this.agent.w3cCredentials.getAll()
  }

  credentialExchanges() {
    return this.agent.didcomm.credentials.getAll()
  }

  proofs() {
    return this.agent.didcomm.proofs.getAll()
  }

  /** The request and the presentation of a proof exchange, by format. */
  proofContents(proofId: string) {
    return this.agent.didcomm.proofs.getFormatData(proofId)
  }

  /** Answers a proof request that waits; returns whether the wallet holds the requested credentials. */
  answerProof(proofId: string): Promise<boolean> {
    return this.#answers.answer(proofId)
  }

  /** Envelopes that the endpoint received, duplicates included. */
  get envelopes(): readonly string[] {
    return this.#parts.endpoint?.envelopes ?? []
  }

  /** Envelopes that the wallet delivered, with the agent's answers. */
  get posted() {
    return [...this.#parts.transport.posted]
  }

  /** Delivers all earlier envelopes once more, in the same order; the new answers are not handled. */
  async repost(): Promise<Answer[]> {
    const answers: Answer[] = []
    for (const { endpoint, envelope } of this.posted) {
      answers.push(await post(endpoint, envelope, new AbortController().signal))
    }
    return answers
  }

  /** The endpoint goes away: connections are refused until `resume`. */
  async pause(): Promise<void> {
    await this.#parts.endpoint?.pause()
  }

  async resume(): Promise<void> {
    await this.#parts.endpoint?.resume()
  }

  /** Ends everything; nothing stays open. */
  async stop(): Promise<void> {
    await this.#parts.endpoint?.pause()
    await this.#parts.transport.stop()
    await this.#parts.inbox.settled()
    await this.agent.shutdown()
    await this.#parts.tails.dispose()
  }

  #observe(): void {
    const { didcomm, events } = this.agent
    didcomm.registerMessageHandlerMiddleware(async ({ message }, next) => {
      this.journal.handled(message)
      await next()
    })
    events.on<DidCommMessageSentEvent>(DidCommEventTypes.DidCommMessageSent, ({ payload }) =>
      this.journal.sent(payload.message.message),
    )
    if (this.#options.answerProofs === false) return
    // A request may have come, or the credential that an earlier one waits for.
    events.on<DidCommMessageProcessedEvent>(DidCommEventTypes.DidCommMessageProcessed, ({ payload }) => {
      if (!/\/(present-proof|issue-credential)\//.test(payload.message.type)) return
      this.#answers.answerAll().catch((error) => this.journal.failed('a proof request could not be answered', error))
    })
  }
}
