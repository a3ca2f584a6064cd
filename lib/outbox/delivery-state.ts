/** What has become of sent messages, written beside them in the list of their connection: so a list needs no other read to show it. */
import type { Delivery } from '../records/basic-message.ts'
import type { Change } from '../store/conditions.ts'
import { tagPartition } from '../store/index-entries.ts'
import { type Address, entryAddress } from '../store/keys.ts'
import { deliveryChange } from '../store/stored-record.ts'
import type { SentBasicMessage } from './message-item.ts'

interface Sent {
  tenant: string
  connectionId: string
  basicMessages?: SentBasicMessage[] | undefined
}

/**
 * The changes that note it, for the transaction that makes it so. They have no condition: where somebody has deleted the record, an entry is
 * left that no list shows, and the message goes its way all the same.
 */
export const deliveryUpdates = (
  { tenant, connectionId, basicMessages = [] }: Sent,
  delivery: Delivery,
): { update: Address; change: Change }[] => {
  const list = tagPartition(tenant, 'BasicMessageRecord', 'connectionId', connectionId)
  return basicMessages.flatMap(({ record, createdAt = record.createdAt }) =>
    typeof createdAt === 'string'
      ? [{ update: entryAddress(list, createdAt, record.id), change: deliveryChange(delivery) }]
      : [],
  )
}
