/** The threads of the requests in an out-of-band record, by which answers find its invitation (Aries RFC 0434). */
import { DidCommOutOfBandRecord, DidCommOutOfBandRole } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { ATTACHED_REQUEST } from '../records/record-json.ts'
import type { NewRecord } from '../store/unit-of-work.ts'

const Received = v.object({
  role: v.literal(DidCommOutOfBandRole.Receiver),
  metadata: v.optional(v.object({ [ATTACHED_REQUEST]: v.optional(v.object({ threadId: v.string() })) }), {}),
})

/**
 * The tags of a record. Of a received invitation they name the thread of the request that was taken, and no other: whoever writes an invitation
 * could name the thread of somebody else's exchange, and would be taken for its other side, or keep that side's messages from it.
 */
export const withTakenThreads = (
  type: string,
  value: NewRecord['value'],
  tags: NewRecord['tags'],
): NewRecord['tags'] => {
  if (type !== DidCommOutOfBandRecord.type) return tags
  const received = v.safeParse(Received, value)
  if (!received.success) return tags
  const taken = received.output.metadata[ATTACHED_REQUEST]
  return { ...tags, invitationRequestsThreadIds: taken === undefined ? [] : [taken.threadId] }
}
