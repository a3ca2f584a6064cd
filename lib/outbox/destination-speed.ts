/** Records how quickly a destination answers, if an attempt changes what is known. */
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
 * Records how long an attempt took (or has taken so far), if that changes what is known. A slow destination counts as quick again after a quick
 * answer, because a mediator may be late once; each time that it becomes slow again it needs more of them.
 */
export const noteDuration = async ({ read, took, answered, now }: Duration): Promise<void> => {
  if (took >= SLOW_MS) await decide(read.destination, now, (current) => slower(current, now))
  else if (answered && (isSlow(read, now) || isNews(read, now)))
    await decide(read.destination, now, (current) => quicker(current, now))
}

/** Whether a quick answer is news. For a destination that is always quick it is recorded twice a month. */
const isNews = ({ quickUntil = 0 }: Destination, now: number): boolean => quickUntil < now + QUICK_FOR / 2

const slower = (read: Destination, now: number): Change | undefined => {
  const { slowUntil = 0, slowTimes = 0, slowLeft } = read
  const times = isSlow(read, now) ? slowTimes : Math.min(slowTimes + 1, MAX_SLOW_TIMES)
  const left = 2 ** (times - 1)
  // While it stays slow, one write a minute is enough.
  if (slowLeft === left && slowUntil > now + SLOW_FOR - 60_000) return undefined
  return { set: { slowUntil: now + SLOW_FOR, slowTimes: times, slowLeft: left }, remove: ['quickUntil'] }
}

const quicker = (read: Destination, now: number): Change | undefined => {
  const { slowLeft = 1 } = read
  const quickUntil = now + QUICK_FOR
  if (!isSlow(read, now)) return isNews(read, now) ? { set: { quickUntil } } : undefined
  return slowLeft > 1 ? { set: { slowLeft: slowLeft - 1 } } : { set: { quickUntil }, remove: ['slowUntil', 'slowLeft'] }
}
