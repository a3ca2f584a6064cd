/** Credo's outbound transport. It sends nothing: it adds messages to the outbox of the running unit of work. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import type { DidCommOutboundPackage, DidCommOutboundTransport } from '@credo-ts/didcomm'
import { destinationAt, type OutboxMessage, outboxItem, type SentBasicMessage } from '../outbox/message-item.ts'
import { nextOutboxId, readLaneEnd } from '../outbox/outbox-id.ts'
import { wakeNow } from '../outbox/queues.ts'
import { digest, messageLane } from '../store/keys.ts'
import { currentUnit } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** The messages of one unit of work to one connection. */
interface Outbox {
  id: string
  messages: OutboxMessage[]
  basicMessages: SentBasicMessage[]
}

const OUTBOXES = Symbol('outboxes')

/** By connection. */
const outboxesOf = (unit: UnitOfWork): Map<string, Outbox> => unit.slot(OUTBOXES, () => new Map<string, Outbox>())

/** The messages of an invocation to a connection are one item: the items of a transaction have no guaranteed order in the stream. */
const outboxTo = async (connectionId: string): Promise<Outbox> => {
  const unit = currentUnit()
  const { tenant } = unit
  const id = outboxesOf(unit).has(connectionId) ? '' : await nextOutboxId(unit, connectionId)
  const isFirst = (await readLaneEnd(unit, connectionId)) === undefined
  const known = outboxesOf(unit).get(connectionId)
  if (known !== undefined) return known
  const outbox: Outbox = { id, messages: [], basicMessages: [] }
  outboxesOf(unit).set(connectionId, outbox)
  unit.beforeCommit(() => unit.create(toItem(tenant, connectionId, outbox)))
  unit.afterCommit(() => {
    const firstTo = isFirst ? destinationAt(outbox.messages[0]?.endpoint) : undefined
    return wakeNow({ lane: messageLane(tenant, connectionId), itemId: id, firstTo })
  })
  return outbox
}

/** Records the basic message that the running unit of work has added to the outbox: its delivery causes events. */
export const recordBasicMessage = (connectionId: string, message: SentBasicMessage): void => {
  outboxesOf(currentUnit()).get(connectionId)?.basicMessages.push(message)
}

export class OutboxTransport implements DidCommOutboundTransport {
  readonly supportedSchemes = ['http', 'https']

  async start(_agentContext: AgentContext): Promise<void> {}

  async stop(): Promise<void> {}

  async sendMessage({ payload, endpoint, connectionId }: DidCommOutboundPackage): Promise<void> {
    if (endpoint === undefined) throw new CredoError('a message without an endpoint')
    // A connectionless message goes to a service of an invitation and is ordered by endpoint.
    const outbox = await outboxTo(connectionId ?? digest(endpoint))
    outbox.messages.push({ endpoint, payload: JSON.stringify(payload) })
  }
}

const toItem = (tenant: string, connectionId: string, { id, messages, basicMessages }: Outbox) =>
  outboxItem.encode({
    tenant,
    connectionId,
    id,
    messages,
    ...(basicMessages.length > 0 && { basicMessages }),
    taken: 0,
    attempts: 0,
    createdAt: new Date().toISOString(),
  })
