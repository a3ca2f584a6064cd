/** Where envelopes reach the wallet's agent: those sent to its endpoint, and those in replies. */
import { DidCommMessageReceiver, DidCommTransportService } from '@credo-ts/didcomm'
import type { HolderAgent } from './holder-agent.ts'
import type { HttpSession } from './http-session.ts'
import type { Journal } from './journal.ts'

export class Inbox {
  readonly #journal: Journal
  readonly #agent = Promise.withResolvers<HolderAgent>()
  readonly #handling = new Set<Promise<void>>()

  constructor(journal: Journal) {
    this.#journal = journal
  }

  /** The endpoint starts before the agent, because the agent must know its address; envelopes wait until then. */
  open(agent: HolderAgent): void {
    this.#agent.resolve(agent)
  }

  /** Handles an envelope to the end, with whatever the wallet sends because of it. Rejects if it could not. */
  async receive(envelope: string, session?: HttpSession): Promise<void> {
    const handled = this.#handle(envelope, session)
    this.#handling.add(handled)
    try {
      await handled
    } catch (error) {
      this.#journal.failed('an envelope could not be handled', error)
      throw error
    } finally {
      this.#handling.delete(handled)
    }
  }

  /** Resolves when nothing is being handled. */
  async settled(): Promise<void> {
    while (this.#handling.size > 0) await Promise.allSettled(this.#handling)
  }

  async #handle(envelope: string, session: HttpSession | undefined): Promise<void> {
    const { dependencyManager } = await this.#agent.promise
    const receiver = dependencyManager.resolve(DidCommMessageReceiver)
    if (!session) return receiver.receiveMessage(JSON.parse(envelope))
    try {
      await receiver.receiveMessage(JSON.parse(envelope), { session })
    } finally {
      // Credo keeps sessions by connection and would answer a later message into a response that is over.
      dependencyManager.resolve(DidCommTransportService).removeSession(session)
    }
  }
}
