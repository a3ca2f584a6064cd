/**
 * The circuit breaker: which failures close a destination, and when it is probed. Pure: clock and randomness are
 * arguments.
 */
import * as v from 'valibot'
import type { PostOutcome } from '../../egress/post.ts'

/**
 * Whose fault an outcome is. `connection`: nothing can be reached at the origin. `gateway`: a gateway answers for a
 * receiver at this address. `receiver`: it concerns this lane only. `message`: it concerns this item only.
 */
export type Fault = 'connection' | 'gateway' | 'receiver' | 'message'

/** RFC 9110, section 15.6: statuses of a gateway in front of the receiver. */
const GATEWAY_STATUSES = new Set([502, 503, 504])

export const faultOf = ({ status, failure }: PostOutcome): Fault => {
  if (status === undefined)
    return failure === 'address' ? 'message' : isOfConnection(failure) ? 'connection' : 'gateway'
  if (GATEWAY_STATUSES.has(status)) return 'gateway'
  return status >= 500 || status === 429 ? 'receiver' : 'message'
}

const isOfConnection = (failure: PostOutcome['failure']): boolean =>
  failure === 'dns' || failure === 'connect' || failure === 'tls'

/**
 * Which of the two an outcome shows to be up. Behind an origin that can be reached a gateway may answer for the
 * receiver at one address. A webhook endpoint, which is both, is up if it answers itself.
 */
export const reachedBy = <D>(outcome: PostOutcome, { origin, address }: { origin: D; address: D }): Set<D> => {
  const fault = faultOf(outcome)
  if (fault === 'connection' || outcome.failure === 'address') return new Set()
  if (fault !== 'gateway') return new Set([origin, address])
  return new Set(origin === address ? [] : [origin])
}

/** A failure that counts against a destination. */
export const Suspicion = v.object({
  lane: v.string(),
  /**
   * The party whose delivery failed, at a shared destination. Failures of one party alone close nothing, because it may
   * have caused them.
   */
  party: v.optional(v.string()),
  /** The lane's full name, at a destination that is not shared. */
  own: v.optional(v.string()),
  /** Ms since the epoch. */
  at: v.number(),
})
export type Suspicion = v.InferOutput<typeof Suspicion>

/** Failures at a shared destination count for a minute. */
const COUNTS_FOR = 60_000
const PARTIES_THAT_CLOSE = 3
/**
 * A destination that is not shared is closed by failures of this many lanes without a success in between, however long
 * that takes: no stranger can cause them, and it may have few lanes. A single lane may have an item that its receiver
 * can't handle.
 */
const OWN_LANES_THAT_CLOSE = 3
/** Failures of this many lanes without a success in between close a destination, even if all belong to one party. */
const LANES_THAT_CLOSE = 20
/**
 * The same for a destination that was closed within the last day by lanes which have not reached it since: more than a
 * few strangers can make.
 */
const LANES_THAT_CLOSE_AGAIN = 100

/** The failures that count now, with a new one; one for each lane. */
export const addSuspicion = (known: readonly Suspicion[], added: Suspicion): Suspicion[] => [
  ...known.filter(({ lane, at, own }) => lane !== added.lane && (own !== undefined || added.at - at < COUNTS_FOR)),
  added,
]

/**
 * Whether these failures close a destination. `again`: some lanes have closed it within the last day that have not
 * reached it since.
 */
export const closes = (suspicions: readonly Suspicion[], again: boolean): boolean =>
  suspicions.filter(({ own }) => own !== undefined).length >= OWN_LANES_THAT_CLOSE ||
  suspicions.length >= (again ? LANES_THAT_CLOSE_AGAIN : LANES_THAT_CLOSE) ||
  (!again && new Set(suspicions.map(({ party }) => party)).size >= PARTIES_THAT_CLOSE)

/**
 * The lane for a probe: of the party whose last failure is the longest ago, or that has had none; of its lanes again
 * such a one, and of several any. `suspicions`: the latest is the last. `random` is in [0, 1).
 */
export const laneToProbe = <L extends Pick<Suspicion, 'lane' | 'party'>>(
  lanes: readonly L[],
  suspicions: readonly Suspicion[],
  random: number,
): L | undefined => {
  const longestAgo = (some: readonly L[], isOf: (one: L, suspicion: Suspicion) => boolean): readonly L[] => {
    const last = some.map((one) => suspicions.findLastIndex((suspicion) => isOf(one, suspicion)))
    return some.filter((_, index) => last[index] === Math.min(...last))
  }
  const ofParty = longestAgo(lanes, (one, { party }) => one.party === party)
  const best = longestAgo(ofParty, (one, { lane }) => one.lane === lane)
  return best[Math.floor(random * best.length)]
}

/** Maximum number of lanes that are stored as suspects: a destination's item is read often and must stay small. */
export const MAX_SUSPECTS = 40

/**
 * In ms. Even with the longest jitter the fourth probe is made within 30 s, so that healthy lanes behind a few hostile
 * ones wait no longer.
 */
const FIRST_PROBE = 1_500
const MAX_PROBE = 5 * 60_000

/**
 * Ms until the next probe, after this number of probes: 1.5 s, 3 s, ... 5 min, with jitter of ±20 %. `random` is in [0,
 * 1).
 */
export const probeDelay = (probes: number, random: number): number =>
  Math.ceil(Math.min(MAX_PROBE, FIRST_PROBE * 2 ** Math.min(probes, 30)) * (0.8 + 0.4 * random))

/** A lane whose failure closed a destination that others could reach does not count again for a day. */
export const IGNORED_FOR = 24 * 60 * 60_000

/** An attempt that took at least this time (ms) was slow, whatever its outcome. */
export const SLOW_MS = 1_500

/**
 * A destination that has answered sooner is known to be quick for this time (ms). A quick answer in its second half
 * renews it.
 */
export const QUICK_FOR = 30 * 24 * 60 * 60_000

/** A destination stays slow for this long after its last slow attempt, in ms. */
export const SLOW_FOR = 10 * 60_000

/** After its n-th time, 2^(n - 1) quick answers end that a destination is slow; n is at most this. */
export const MAX_SLOW_TIMES = 4
