/** The tag of out-of-band records by which answers find the invitation of their request (Aries RFC 0434). */
import { DidCommOutOfBandRecord, DidCommOutOfBandRole } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { ATTACHED_REQUEST } from '../records/record-json.ts'
import type { NewRecord } from '../store/unit-of-work.ts'

const Received = v.object({
  role: v.literal(DidCommOutOfBandRole.Receiver),
  metadata: v.optional(v.object({ [ATTACHED_REQUEST]: v.optional(v.object({ threadId: v.string() })) }), {}),
})

/**
 * The tags of a record. A received invitation is tagged only with the thread of the request that was handled: its author could name the thread of
 * another exchange, to be treated as the other party of that exchange, or to block that party's messages.
 */
export const withHandledThread = (
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
