/** Credo's way out of the agent to an endpoint. It sends nothing: a message is added to the outbox of the running unit of work. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import type { DidCommOutboundPackage, DidCommOutboundTransport } from '@credo-ts/didcomm'
import { destinationAt, type OutboxMessage, outboxItem, type SentBasicMessage } from '../outbox/message-item.ts'
import { nextOutboxId, readLaneEnd } from '../outbox/next-id.ts'
import { wakeNow } from '../outbox/queues.ts'
import { digest, messageLane } from '../store/keys.ts'
import { currentUnit } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** What one unit of work sends to one connection. */
interface Outbox {
  id: string
  messages: OutboxMessage[]
  basicMessages: SentBasicMessage[]
}

const OUTBOXES = Symbol('outboxes')

/** By connection. */
const outboxesOf = (unit: UnitOfWork): Map<string, Outbox> => unit.slot(OUTBOXES, () => new Map<string, Outbox>())

/** All messages of one invocation to one connection are one item: a transaction's items reach the stream in no promised order. */
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
