/** The queue message to wallets: a pointer to the outbox item, which is the truth. */
import * as v from 'valibot'
import { type Address, digest } from '../store/keys.ts'

const Pointer = v.pipe(v.string(), v.parseJson(), v.object({ pk: v.string(), sk: v.string() }))

/** The address that a queue message points to, or undefined when it is none of ours. */
export const readPointer = (body: string): Address | undefined => {
  const result = v.safeParse(Pointer, body)
  return result.success ? result.output : undefined
}

export const writePointer = ({ pk, sk }: Address): string => JSON.stringify({ pk, sk })

/**
 * SQS takes 128 characters for ids of groups and of messages; a hash is shorter than any address and shows nobody's
 * ids.
 */
export const queueId = (...parts: string[]): string => digest(JSON.stringify(parts))
