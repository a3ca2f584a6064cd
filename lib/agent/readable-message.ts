/** A look at a decrypted message before Credo's validators see it: some of their patterns take exponential time. */
import { CredoError } from '@credo-ts/core'
import type { DidCommPlaintextMessage } from '@credo-ts/didcomm'
import * as v from 'valibot'

/** Far above any message type (Aries RFC 0003) or id; Credo's patterns for them are polynomial in the length. */
const MOST_CHARACTERS = 256

const Short = v.pipe(v.string(), v.maxLength(MOST_CHARACTERS))

/**
 * What Credo's `PthidRegExp` (ThreadDecorator, didcomm 0.6.3) takes, written so that it takes linear time: there, `did:a:b:::::` with a
 * line end doubles the time with every colon.
 */
const ThreadId = v.pipe(
  v.string(),
  v.maxLength(4096),
  v.regex(
    /^(?:[-_./A-Za-z0-9]{8,64}|did:[a-z0-9]+:(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9.-])+(?::(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9._~!$&'()*+,;=@/-])+)*(?:\?[\w.~!$&'()*+,;=:@/%-]*)?(?:#[\w.~!$&'()*+,;=:@/%-]*)?)$/,
  ),
)

const Message = v.looseObject({
  '@type': Short,
  '@id': Short,
  '~thread': v.optional(v.looseObject({ thid: v.optional(ThreadId), pthid: v.optional(ThreadId) })),
  'connection~sig': v.optional(v.looseObject({ '@type': Short })),
  '~transport': v.optional(v.looseObject({ return_route_thread: v.optional(Short) })),
})

/** Throws a CredoError for a message that no agent sends. */
export function assertReadable(message: unknown): asserts message is DidCommPlaintextMessage {
  if (!v.is(Message, message)) throw new CredoError('the message has no readable type, id or thread')
}
