/** Return route: the reply to an inbound message is returned in the HTTP response, after the commit. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import type {
  DidCommEncryptedMessage,
  DidCommMessage,
  DidCommTransportService,
  DidCommTransportSession,
} from '@credo-ts/didcomm'
import { currentUnit } from '../../store/transaction.ts'

/**
 * The endpoint of an agent without one.
 * https://github.com/hyperledger/aries-rfcs/tree/main/features/0092-transport-return-route#queue-transport
 */
export const QUEUE = 'didcomm:transport/queue'

/**
 * An inbound HTTP request, whose response takes one message.
 * https://github.com/hyperledger/aries-rfcs/tree/main/features/0092-transport-return-route
 */
export class ReturnRouteSession implements DidCommTransportSession {
  readonly type = 'http'
  readonly id = crypto.randomUUID()
  keys?: NonNullable<DidCommTransportSession['keys']>
  inboundMessage?: DidCommMessage
  connectionId?: string
  /** The packed reply. */
  reply: DidCommEncryptedMessage | undefined

  async send(_agentContext: AgentContext, message: DidCommEncryptedMessage): Promise<void> {
    // After this error Credo uses the outbox.
    if (this.reply !== undefined) throw new CredoError('this request has a reply already')
    this.reply = message
  }

  async close(): Promise<void> {}
}

/**
 * Credo's session table, but one for each unit of work. Credo's own keeps all sessions of the process, so that a later
 * message to the same connection would go into a response that was sent long ago.
 */
export class UnitOfWorkSessions
  implements Pick<DidCommTransportService, 'saveSession' | 'findSessionById' | 'findSessionByConnectionId'>
{
  get #current(): { session?: DidCommTransportSession | undefined } {
    return currentUnit().moduleState(this, () => ({}))
  }

  saveSession(session: DidCommTransportSession): void {
    this.#current.session = session
  }

  removeSession(): void {
    this.#current.session = undefined
  }

  findSessionById(id: string): DidCommTransportSession | undefined {
    const { session } = this.#current
    return session?.id === id ? session : undefined
  }

  findSessionByConnectionId(connectionId: string): DidCommTransportSession | undefined {
    const { session } = this.#current
    return session?.connectionId === connectionId ? session : undefined
  }

  setConnectionIdForSession(id: string, connectionId: string): void {
    const session = this.findSessionById(id)
    if (session === undefined) throw new CredoError(`there is no session ${id}`)
    session.connectionId = connectionId
  }

  hasInboundEndpoint: DidCommTransportService['hasInboundEndpoint'] = ({ didCommServices }) =>
    didCommServices.some(({ serviceEndpoint }) => serviceEndpoint !== QUEUE)
}
