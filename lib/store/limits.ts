/**
 * Rate and concurrency limits of agents. A counter is an atomic update outside of transactions: within, each would
 * conflict with all concurrent ones.
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
  'expiry',
)

/** A limit for an agent, in fixed windows of `seconds` since the epoch. */
interface Limit {
  tenant: string
  /** Name of the counter, without `|`. */
  of: string
  seconds: number
  /** At least 1. */
  max: number
  /** Message of the error when the maximum is reached. */
  message: string
}

/**
 * Counters at their maximum, by partition key: further requests in the window are rejected without a request to
 * DynamoDB.
 */
const exhausted = new Bounded<string, true>(1_000)

/** Rate limit: adds one. Throws `quota.exceeded` with the time until the window ends, and `store.unavailable`. */
export const consumeRateLimit = async (count: Limit, now = epochSeconds()): Promise<void> => {
  const { pk } = addressIn(count, now)
  if (exhausted.get(pk) === undefined && (await add(count, now))) return
  exhausted.set(pk, true)
  throw limitExceeded(count, count.seconds - (now % count.seconds))
}

/**
 * Concurrency limit: runs `act`, or throws `quota.exceeded` if `max` are running. `act` takes less than a window. Each
 * window starts at 0, because a process may die without subtracting: at its start up to twice `max` may run.
 */
export const withConcurrencyLimit = async <T>(
  count: Limit,
  act: () => Promise<T>,
  now = epochSeconds(),
): Promise<T> => {
  if (!(await add(count, now))) throw limitExceeded(count, 1)
  try {
    return await act()
  } finally {
    // If this fails, the call counts until the window ends.
    await updateIf(addressIn(count, now), { add: { count: -1 } }, { present: ['count'] }).catch(() => undefined)
  }
}

const addressIn = ({ tenant, of, seconds }: Limit, now: number) =>
  countItem.addressOf({ tenant, of, window: Math.floor(now / seconds) })

/** False if the maximum is reached. */
const add = async (count: Limit, now: number): Promise<boolean> => {
  const { seconds, max } = count
  const expiresAt = (Math.floor(now / seconds) + 2) * seconds
  const set = { kind: { S: countItem.kind }, ...countItem.attributes({ expiresAt }) }
  const below = countItem.attributes({ count: max })
  const change = { set, add: { count: 1 } }
  return (await updateIf(addressIn(count, now), change, { anyOf: [{ absent: ['count'] }, { below }] })) !== undefined
}

const limitExceeded = ({ message }: Limit, retryAfter: number): AgentError =>
  new AgentError('quota.exceeded', message, { retryAfter })
