/** Which facts the change of an outbox item is: its basic messages were sent, delivered, or have failed for good. */
import * as v from 'valibot'
import { SentBasicMessage } from '../delivery/outbox-item.ts'
import { type Change, Count, type Fact, Text, timeOf } from './fact.ts'

const OutboxImage = v.object({
  tenant: Text,
  state: Text,
  attempts: Count,
  createdAt: v.optional(Text),
  deliveredAt: v.optional(Text),
  failedAt: v.optional(Text),
  basicMessages: v.object({ S: v.pipe(v.string(), v.parseJson(), v.array(SentBasicMessage)) }),
})

/** Which attribute says when it happened. */
const TIMES = {
  'basic_message.sent': 'createdAt',
  'basic_message.delivered': 'deliveredAt',
  'basic_message.failed': 'failedAt',
} as const

/** What the states that a message may come to are called. */
const OUTCOMES: Record<string, keyof typeof TIMES> = {
  delivered: 'basic_message.delivered',
  failed: 'basic_message.failed',
}

/**
 * The sequence is 1 when a message is sent and grows with the attempts at it. One that comes back out of the dead-letter
 * queue is an event again when it is delivered, or has failed again. Throws where the image is no outbox item's.
 */
export const messageFacts = (change: Change): Fact[] => {
  const { before, after } = change
  if (after.basicMessages === undefined || before?.state?.S === after.state?.S) return []
  const type = before === undefined ? 'basic_message.sent' : OUTCOMES[after.state?.S ?? '']
  if (type === undefined) return []
  const { tenant, attempts, basicMessages, ...times } = v.parse(OutboxImage, after)
  return basicMessages.S.map(({ record, truncated }) => ({
    type,
    of: { tenant: tenant.S },
    recordId: record.id,
    sequence: 1 + Number(attempts.N),
    occurredAt: timeOf([times[TIMES[type]]?.S], change),
    record,
    ...(truncated && { truncated }),
  }))
}
