/** How a wallet posts an envelope, and what comes between: retries, or a bad network that delivers it several times concurrently, or altered. */
import { setTimeout as delay } from 'node:timers/promises'
import { type DidCommEncryptedMessage, DidCommMimeType } from '@credo-ts/didcomm'

export interface Answer {
  status: number
  /** An envelope, if the agent answered by return route. */
  body: string
  /** Seconds, where the agent asks the wallet to wait. */
  retryAfter?: string
}

/** Posts an envelope; rejects without an answer. */
export type Post = (endpoint: string, envelope: DidCommEncryptedMessage, signal: AbortSignal) => Promise<Answer>

/** A layer between the wallet and the network. */
export type Network = (post: Post) => Post

/** Timeout in ms. */
const END = 5 * 60_000

/** One HTTP POST. */
export const post: Post = async (endpoint, envelope, signal) => {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': DidCommMimeType.V1 },
    body: JSON.stringify(envelope),
    signal: AbortSignal.any([signal, AbortSignal.timeout(END)]),
  })
  const retryAfter = response.headers.get('retry-after')
  return { status: response.status, body: await response.text(), ...(retryAfter !== null && { retryAfter }) }
}

export const isAccepted = ({ status }: Answer): boolean => status >= 200 && status < 300

/** How often an envelope is posted at most: an agent whose functions start on a busy machine asks for a minute. */
export const MAX_POSTS = 60

/** Posts an envelope again while the agent asks the wallet to wait (`Retry-After`), a handshake's too: no other code would repeat it. */
export const patient: Network = (deliver) => async (endpoint, envelope, signal) => {
  for (let times = 1; ; times += 1) {
    const answer = await deliver(endpoint, envelope, signal)
    if (isAccepted(answer) || answer.retryAfter === undefined || times === MAX_POSTS) return answer
    await delay(Math.min(Number(answer.retryAfter) || 1, 10) * 1_000, undefined, { signal })
  }
}

/**
 * A network that delivers each envelope several times concurrently. The wallet gets one answer, a success if there is any;
 * the wallet's `posted` has the result of each delivery.
 */
export const repeating =
  (times: number): Network =>
  (deliver) =>
  async (endpoint, envelope, signal) => {
    const deliveries = Array.from({ length: times }, () => deliver(endpoint, envelope, signal))
    const outcomes = await Promise.allSettled(deliveries)
    const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    const best = answers.find((answer) => isAccepted(answer) && answer.body !== '') ?? answers.find(isAccepted)
    return best ?? Promise.any(deliveries)
  }

/** A network that alters each envelope. */
export const altering =
  (alter: (envelope: DidCommEncryptedMessage) => DidCommEncryptedMessage): Network =>
  (deliver) =>
  (endpoint, envelope, signal) =>
    deliver(endpoint, alter(envelope), signal)
