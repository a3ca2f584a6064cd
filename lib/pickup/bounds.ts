/** How much may wait to be fetched, and for how long. Pure. */

const DAY = 24 * 60 * 60 * 1000

export const MAX_DAYS = 14

/** What has waited longer (ms) is given up. */
export const MAX_WAIT = MAX_DAYS * DAY

/** How many messages, and their bytes. */
export interface Amount {
  messages: number
  bytes: number
}

/** In the queue of a connection. */
export const QUEUE: Amount = { messages: 1_000, bytes: 10 * 1024 * 1024 }

/**
 * As soon as so much waits, nothing is added to answer the wallet's own messages (acknowledgements, problem reports): else a wallet that sends
 * without end and fetches nothing would fill the agent's share.
 */
const ANSWERS: Amount = { messages: 100, bytes: 1024 * 1024 }

/** In one of the 16 shares of an agent: together 100,000 messages and 1 GiB. */
const SHARE: Amount = { messages: 6_250, bytes: 64 * 1024 * 1024 }

/** Handed out at once. Each takes up to three writes of the transaction that removes it (of 100), and all have to fit in one answer. */
export const BATCH: Amount = { messages: 30, bytes: 512 * 1024 }

const fits = (held: Amount, added: Amount, bound: Amount): boolean =>
  held.messages + added.messages <= bound.messages && held.bytes + added.bytes <= bound.bytes

/** Which bound a message would go beyond; undefined where there is room. `answers`: it answers a message of the wallet. */
export const fullBy = (
  added: Amount,
  { queue, share, answers }: { queue: Amount; share: Amount; answers: boolean },
): 'queue' | 'agent' | undefined => {
  if (!fits(queue, added, answers ? ANSWERS : QUEUE)) return 'queue'
  return fits(share, added, SHARE) ? undefined : 'agent'
}
