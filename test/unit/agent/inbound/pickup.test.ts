/** Which ids of a receipt (Aries RFC 0685) are looked for in the table, which rejects an empty key and a long one. */
import { DidCommMessagesReceivedV2Message } from '@credo-ts/didcomm'
import { expect, test } from 'vitest'
import { removeForeignIds } from '../../../../lib/agent/inbound/pickup.ts'
import { newOutboxId } from '../../../../lib/outbox/messages/outbox-id.ts'

test('those that this agent may have given to a message, and no others', () => {
  const id = newOutboxId()
  const others = ['', '~', 'x'.repeat(2_000), `${id}0`, ` ${id}`, id.toUpperCase(), 7, null, [id]]
  const receipt = new DidCommMessagesReceivedV2Message({ messageIdList: Object([...others, id]) })
  removeForeignIds(receipt)
  expect(receipt.messageIdList).toEqual([id])
})
