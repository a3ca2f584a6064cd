/** What happens to a message for a wallet that has no endpoint and waits for no answer: it is refused, not forgotten. */
import type { DidCommQueueTransportRepository } from '@credo-ts/didcomm'
import { AgentError } from '../errors.ts'

/** Credo's default keeps such messages in memory, where the next cold start loses them. */
export class NoQueueTransport implements DidCommQueueTransportRepository {
  addMessage(): never {
    throw new AgentError(
      'connection.no_endpoint',
      'the other agent has no endpoint: it only gets answers to its messages',
    )
  }

  getAvailableMessageCount(): number {
    return 0
  }

  takeFromQueue(): [] {
    return []
  }

  removeMessages(): void {}
}
