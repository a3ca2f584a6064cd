/**
 * Counts with a bound, each an atomic update of its own outside of transactions: in a transaction it would conflict
 * with every other one.
 */
import { Bounded } from '../bounded.ts'
import { AgentError } from '../errors.ts'
import { defineItem } from './item.ts'
import { integer } from './item-fields.ts'
import { address } from './keys.ts'
import { epochSeconds } from './table.ts'
import { updateIf } from './write.ts'

const countItem = defineItem(
  'count',
  ({ tenant, of, window }: { tenant: string; of: string; window: number }) =>
    address(`${tenant}|count|${of}|${window}`),
  { count: integer(), expiresAt: integer() },
)

/** What is counted for an agent, in windows of `seconds` since the epoch. */
interface Count {
  tenant: string
  /** Without `|`. */
  of: string
  seconds: number
  /** At least 1. */
  max: number
  /** Of the error where the maximum is reached. */
  message: string
}

/**
 * Counts that have reached their maximum in their window: further requests are rejected without a request to the table.
 */
const reached = new Bounded<string, true>(1_000)

/** Adds one, for good. Throws `quota.exceeded` with the time until the window ends, and `store.unavailable`. */
export const countOne = async (count: Count, now = epochSeconds()): Promise<void> => {
  const { pk } = addressIn(count, now)
  if (reached.get(pk) === undefined && (await add(count, now))) return
  reached.set(pk, true)
  throw exceeded(count, count.seconds - (now % count.seconds))
}

/**
 * Runs `act` unless the maximum runs already: then it throws `quota.exceeded`. What a process that dies has counted is
 * forgotten with the window, so that at its end up to twice the maximum may run. `act` takes less than a window.
 */
export const runCounted = async <T>(count: Count, act: () => Promise<T>, now = epochSeconds()): Promise<T> => {
  if (!(await add(count, now))) throw exceeded(count, 1)
  try {
    return await act()
  } finally {
    // A failure counts until the window ends.
    await updateIf(addressIn(count, now), { add: { count: -1 } }, { present: ['count'] }).catch(() => undefined)
  }
}

const addressIn = ({ tenant, of, seconds }: Count, now: number) =>
  countItem.addressOf({ tenant, of, window: Math.floor(now / seconds) })

/** False if the maximum is reached. */
const add = async (count: Count, now: number): Promise<boolean> => {
  const { seconds, max } = count
  const expiresAt = (Math.floor(now / seconds) + 2) * seconds
  const set = { kind: { S: countItem.kind }, ...countItem.attributes({ expiresAt }) }
  const below = countItem.attributes({ count: max })
  const change = { set, add: { count: 1 } }
  return (await updateIf(addressIn(count, now), change, { anyOf: [{ absent: ['count'] }, { below }] })) !== undefined
}

const exceeded = ({ message }: Count, retryAfter: number): AgentError =>
  new AgentError('quota.exceeded', message, { retryAfter })
