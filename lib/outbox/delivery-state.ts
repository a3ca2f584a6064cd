/** Deliveries of sent messages, written into their entries in the connection's list, so that a list needs no other read to show them. */
import type { Delivery } from '../records/basic-message.ts'
import type { Change } from '../store/conditions.ts'
import { type Address, messageEntryAddress } from '../store/keys.ts'
import { deliveryAttributes } from '../store/stored-record.ts'
import type { SentBasicMessage } from './message-item.ts'

interface Sent {
  tenant: string
  connectionId: string
  basicMessages?: SentBasicMessage[] | undefined
}

/**
 * The changes of the entries, for the transaction that records the delivery. They have no condition: if the record was deleted, an entry remains that
 * no list shows, and the message is delivered all the same.
 */
export const deliveryUpdates = (
  { tenant, connectionId, basicMessages = [] }: Sent,
  delivery: Delivery,
): { update: Address; change: Change }[] => {
  const change = { set: deliveryAttributes(delivery) }
  return basicMessages.flatMap(({ record, createdAt = record.createdAt }) =>
    typeof createdAt === 'string'
      ? [{ update: messageEntryAddress(tenant, connectionId, createdAt, record.id), change }]
      : [],
  )
}
