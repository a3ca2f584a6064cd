/** How quickly a destination answers: written down where an attempt has shown something new. */
import { MAX_SLOW_TIMES, QUICK_FOR, SLOW_FOR, SLOW_MS } from './circuit-breaker.ts'
import { type Change, type Destination, decide, isSlow } from './destination.ts'

/** What is known of a destination before an attempt, and how long that took (ms). */
export interface Duration {
  read: Destination
  took: number
  answered: boolean
  now: number
}

/**
 * Notes how long an attempt took (or has taken by now), where that changes what is known. A quick answer ends that a destination is slow, for
 * a mediator may be late once; one that is late again and again needs more of them each time.
 */
export const noteDuration = async ({ read, took, answered, now }: Duration): Promise<void> => {
  if (took >= SLOW_MS) await decide(read.destination, now, (current) => slower(current, now))
  else if (answered && (isSlow(read, now) || isNews(read, now)))
    await decide(read.destination, now, (current) => quicker(current, now))
}

/** Whether a quick answer says more than is known. Of a destination that answers always quickly it is noted twice a month. */
const isNews = ({ quickUntil = 0 }: Destination, now: number): boolean => quickUntil < now + QUICK_FOR / 2

const slower = (read: Destination, now: number): Change | undefined => {
  const { slowUntil = 0, slowTimes = 0, slowLeft } = read
  const times = isSlow(read, now) ? slowTimes : Math.min(slowTimes + 1, MAX_SLOW_TIMES)
  const left = 2 ** (times - 1)
  // Of an attempt that took long as ever, once a minute is enough.
  if (slowLeft === left && slowUntil > now + SLOW_FOR - 60_000) return undefined
  return { set: { slowUntil: now + SLOW_FOR, slowTimes: times, slowLeft: left }, remove: ['quickUntil'] }
}

const quicker = (read: Destination, now: number): Change | undefined => {
  const { slowLeft = 1 } = read
  const quickUntil = now + QUICK_FOR
  if (!isSlow(read, now)) return isNews(read, now) ? { set: { quickUntil } } : undefined
  return slowLeft > 1 ? { set: { slowLeft: slowLeft - 1 } } : { set: { quickUntil }, remove: ['slowUntil', 'slowLeft'] }
}
