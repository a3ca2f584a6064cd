/** Credo's outbound transport: it sends nothing, it adds to the outbox of the running unit of work. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import type { DidCommOutboundPackage, DidCommOutboundTransport } from '@credo-ts/didcomm'
import { newOutboxId, type OutboxMessage, outboxItem } from '../delivery/outbox.ts'
import { digest } from '../store/address.ts'
import { epochSeconds } from '../store/table.ts'
import { currentUnit } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** A message that no retry could bring to its wallet is of no use after this long. */
const SECONDS_KEPT = 14 * 24 * 60 * 60

export class OutboxTransport implements DidCommOutboundTransport {
  readonly supportedSchemes = ['http', 'https']
  readonly #outboxes = new WeakMap<UnitOfWork, Map<string, OutboxMessage[]>>()

  async start(_agentContext: AgentContext): Promise<void> {}

  async stop(): Promise<void> {}

  async sendMessage({ payload, endpoint, connectionId }: DidCommOutboundPackage): Promise<void> {
    if (endpoint === undefined) throw new CredoError('a message without an endpoint')
    // A message outside of a connection goes to a service of an invitation: its order is that of the endpoint.
    this.#messagesTo(connectionId ?? digest(endpoint)).push({ endpoint, payload: JSON.stringify(payload) })
  }

  /** All messages of one invocation to one connection are one item: a transaction's items reach the stream in no promised order. */
  #messagesTo(connectionId: string): OutboxMessage[] {
    const unit = currentUnit()
    const outbox = this.#outboxes.get(unit) ?? new Map<string, OutboxMessage[]>()
    this.#outboxes.set(unit, outbox)
    const known = outbox.get(connectionId)
    if (known !== undefined) return known
    const messages: OutboxMessage[] = []
    outbox.set(connectionId, messages)
    unit.beforeCommit(() => unit.create(toItem(unit.tenant, connectionId, messages)))
    return messages
  }
}

const toItem = (tenant: string, connectionId: string, messages: OutboxMessage[]) =>
  outboxItem({
    tenant,
    connectionId,
    id: newOutboxId(),
    messages,
    createdAt: new Date().toISOString(),
    expiresAt: epochSeconds() + SECONDS_KEPT,
  })
