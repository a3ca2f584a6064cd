/** Which facts the items of the outbox are: basic messages were sent, delivered, or have failed for good. */
import { outboxItem, outcomeItem, type SentBasicMessage } from '../outbox/message-item.ts'
import { type Change, type Fact, timeOf } from './fact.ts'

interface Told {
  tenant: string
  messages: SentBasicMessage[]
  type: 'basic_message.sent' | 'basic_message.delivered' | 'basic_message.failed'
  sequence: number
  at: string
}

const factsOf = ({ tenant, messages, type, sequence, at }: Told, change: Change): Fact[] =>
  messages.map(({ record, truncated }) => ({
    type,
    of: { tenant },
    recordId: record.id,
    sequence,
    occurredAt: timeOf([at], change),
    record,
    ...(truncated && { truncated }),
  }))

/** A message was sent: its item is new. One that was redriven has attempts already, and is told of no second time. */
export const sentFacts = (change: Change): Fact[] => {
  if (change.before !== undefined) return []
  const { tenant, basicMessages: messages = [], createdAt, attempts } = outboxItem.decode(change.after)
  return attempts > 0
    ? []
    : factsOf({ tenant, messages, type: 'basic_message.sent', sequence: 1, at: createdAt }, change)
}

/**
 * What became of a message. Two items of the table reach the stream in no promised order: so the outcome tells that the message was sent,
 * too, and an event that is there already is not written twice. The sequence grows with the attempts.
 */
export const outcomeFacts = (change: Change): Fact[] => {
  if (change.before !== undefined) return []
  const outcome = outcomeItem.decode(change.after)
  const { tenant, basicMessages: messages = [], createdAt, endedAt, attempts, state } = outcome
  return [
    ...factsOf({ tenant, messages, type: 'basic_message.sent', sequence: 1, at: createdAt }, change),
    ...factsOf(
      { tenant, messages, type: `basic_message.${state}`, sequence: Math.max(2, 1 + attempts), at: endedAt },
      change,
    ),
  ]
}
