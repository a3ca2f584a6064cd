/** Credo's outbound transport: it sends nothing, it adds to the outbox of the running unit of work. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import type { DidCommOutboundPackage, DidCommOutboundTransport } from '@credo-ts/didcomm'
import { newOutboxId, type OutboxMessage, outboxItem } from '../delivery/outbox.ts'
import type { SentBasicMessage } from '../delivery/outbox-item.ts'
import { digest } from '../store/keys.ts'
import { epochSeconds } from '../store/table.ts'
import { currentUnit } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** A message that no retry could bring to its wallet is of no use after this long. */
const SECONDS_KEPT = 14 * 24 * 60 * 60

/** What leaves for one connection because of one unit of work. */
interface Outbox {
  messages: OutboxMessage[]
  basicMessages: SentBasicMessage[]
}

const OUTBOXES = Symbol('outboxes')

/** By connection. */
const outboxesOf = (unit: UnitOfWork): Map<string, Outbox> => unit.slot(OUTBOXES, () => new Map<string, Outbox>())

/** All messages of one invocation to one connection are one item: a transaction's items reach the stream in no promised order. */
const outboxTo = (connectionId: string): Outbox => {
  const unit = currentUnit()
  const known = outboxesOf(unit).get(connectionId)
  if (known !== undefined) return known
  const outbox: Outbox = { messages: [], basicMessages: [] }
  outboxesOf(unit).set(connectionId, outbox)
  unit.beforeCommit(() => unit.create(toItem(unit.tenant, connectionId, outbox)))
  return outbox
}

/** Notes which basic message the running unit of work has put into the outbox: what becomes of it are its events. */
export const noteBasicMessage = (connectionId: string, message: SentBasicMessage): void => {
  outboxesOf(currentUnit()).get(connectionId)?.basicMessages.push(message)
}

export class OutboxTransport implements DidCommOutboundTransport {
  readonly supportedSchemes = ['http', 'https']

  async start(_agentContext: AgentContext): Promise<void> {}

  async stop(): Promise<void> {}

  async sendMessage({ payload, endpoint, connectionId }: DidCommOutboundPackage): Promise<void> {
    if (endpoint === undefined) throw new CredoError('a message without an endpoint')
    // A message outside of a connection goes to a service of an invitation: its order is that of the endpoint.
    outboxTo(connectionId ?? digest(endpoint)).messages.push({ endpoint, payload: JSON.stringify(payload) })
  }
}

const toItem = (tenant: string, connectionId: string, { messages, basicMessages }: Outbox) =>
  outboxItem({
    tenant,
    connectionId,
    id: newOutboxId(),
    messages,
    ...(basicMessages.length > 0 && { basicMessages }),
    createdAt: new Date().toISOString(),
    expiresAt: epochSeconds() + SECONDS_KEPT,
  })
