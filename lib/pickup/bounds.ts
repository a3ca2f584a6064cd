/** Limits of pickup queues: amount and time. Pure. */

export const DAY = 24 * 60 * 60 * 1000

export const MAX_DAYS = 14

/** In ms. Older messages are given up. */
export const MAX_WAIT = MAX_DAYS * DAY

/** Number of messages and their bytes. */
export type Amount = { messages: number; bytes: number }

export const NOTHING: Amount = { messages: 0, bytes: 0 }

export const sum = (...amounts: Amount[]): Amount =>
  amounts.reduce((a, b) => ({ messages: a.messages + b.messages, bytes: a.bytes + b.bytes }), NOTHING)

export const difference = (a: Amount, b: Amount): Amount => ({
  messages: a.messages - b.messages,
  bytes: a.bytes - b.bytes,
})

/** Limit of a connection's queue. */
export const QUEUE: Amount = { messages: 1_000, bytes: 10 * 1024 * 1024 }

/**
 * Limit for replies to the wallet's own messages (acknowledgements, problem reports): otherwise a wallet that sends
 * many messages and fetches none would fill the agent's share.
 */
const REPLIES: Amount = { messages: 100, bytes: 1024 * 1024 }

/** Limit of each of an agent's 16 shares: 100,000 messages and 1 GiB in total. */
const SHARE: Amount = { messages: 6_250, bytes: 64 * 1024 * 1024 }

/**
 * Limit of a share for replies: third parties with many connections must not use up the space for the agent's own
 * messages.
 */
const SHARE_FOR_REPLIES: Amount = { messages: SHARE.messages / 2, bytes: SHARE.bytes / 2 }

/**
 * Limit of a batch. Each message takes up to three writes of the transaction that removes it (of 100), and all must fit
 * in one response.
 */
export const BATCH: Amount = { messages: 30, bytes: 512 * 1024 }

const fits = (present: Amount, added: Amount, bound: Amount): boolean =>
  present.messages + added.messages <= bound.messages && present.bytes + added.bytes <= bound.bytes

/** The limit that a message would exceed, if any. `answers`: it replies to a message of the wallet. */
export const exceededLimit = (
  added: Amount,
  { queue, share, answers: isReply }: { queue: Amount; share: Amount; answers: boolean },
): 'queue' | 'agent' | undefined => {
  if (!fits(queue, added, isReply ? REPLIES : QUEUE)) return 'queue'
  return fits(share, added, isReply ? SHARE_FOR_REPLIES : SHARE) ? undefined : 'agent'
}
