/** The ids of a receipt (Aries RFC 0685) that are looked up in the table, which rejects an empty or long key. */
import { DidCommMessagesReceivedV2Message } from '@credo-ts/didcomm'
import { expect, test } from 'vitest'
import { removeForeignIds } from '../../../../lib/agent/inbound/pickup.ts'
import { newOutboxId } from '../../../../lib/outbox/messages/outbox-id.ts'

test('only ids that this agent can have given to a message', () => {
  const id = newOutboxId()
  const foreignIds = ['', '~', 'x'.repeat(2_000), `${id}0`, ` ${id}`, id.toUpperCase(), 7, null, [id]]
  const receipt = new DidCommMessagesReceivedV2Message({ messageIdList: Object([...foreignIds, id]) })
  removeForeignIds(receipt)
  expect(receipt.messageIdList).toEqual([id])
})
