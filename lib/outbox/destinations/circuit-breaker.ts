/**
 * The circuit breaker: which failures close a destination, and when it is probed. Pure: clock and randomness are
 * arguments.
 */
import * as v from 'valibot'
import type { PostOutcome } from '../../egress/post.ts'

/**
 * What a failed attempt says is broken. `connection`: the origin, which is unreachable. `gateway`: the receiver at this
 * address, for which a gateway responds. `receiver`: this lane only. `message`: this item only.
 */
export type FailureScope = 'connection' | 'gateway' | 'receiver' | 'message'

/** RFC 9110, section 15.6: statuses of a gateway in front of the receiver. */
const GATEWAY_STATUSES = new Set([502, 503, 504])

export const failureScopeOf = ({ status, failure }: PostOutcome): FailureScope => {
  if (status === undefined)
    return failure === 'address' ? 'message' : isConnectionFailure(failure) ? 'connection' : 'gateway'
  if (GATEWAY_STATUSES.has(status)) return 'gateway'
  return status >= 500 || status === 429 ? 'receiver' : 'message'
}

const isConnectionFailure = (failure: PostOutcome['failure']): boolean =>
  failure === 'dns' || failure === 'connect' || failure === 'tls'

/**
 * Which of origin and address an outcome shows to be up. At a reachable origin, a gateway may respond for the receiver
 * at one address. A webhook endpoint is both: it is up if it responds itself.
 */
export const reachedBy = <D>(outcome: PostOutcome, { origin, address }: { origin: D; address: D }): Set<D> => {
  const scope = failureScopeOf(outcome)
  if (scope === 'connection' || outcome.failure === 'address') return new Set()
  if (scope !== 'gateway') return new Set([origin, address])
  return new Set(origin === address ? [] : [origin])
}

/** A failure that counts against a destination. */
export const CountedFailure = v.object({
  lane: v.string(),
  /**
   * At a shared destination: the lane's owner. Failures of one party alone do not close it, because it may have caused
   * them.
   */
  party: v.optional(v.string()),
  /** The lane's full name, at a destination that is not shared. */
  own: v.optional(v.string()),
  /** Ms since the epoch. */
  at: v.number(),
})
export type CountedFailure = v.InferOutput<typeof CountedFailure>

/** Failures at a shared destination count for a minute. */
const COUNTED_FOR_MS = 60_000
const PARTIES_TO_CLOSE = 3
/**
 * A destination that is not shared is closed by failures of this many lanes without a success in between, however long
 * that takes: no third party can cause them, and it may have few lanes. A single lane may have an item that its
 * receiver can't handle.
 */
const OWN_LANES_TO_CLOSE = 3
/** Failures of this many lanes without a success in between close a destination, even if all belong to one party. */
const LANES_TO_CLOSE = 20
/**
 * The same for a destination that was closed within the last day by lanes which have not reached it since: more lanes
 * than a few hostile receivers have.
 */
const LANES_TO_CLOSE_AGAIN = 100

/** The failures that count now, including a new one; at most one for each lane. */
export const addCountedFailure = (known: readonly CountedFailure[], added: CountedFailure): CountedFailure[] => [
  ...known.filter(({ lane, at, own }) => lane !== added.lane && (own !== undefined || added.at - at < COUNTED_FOR_MS)),
  added,
]

/**
 * Whether these failures close a destination. `again`: it was closed within the last day by lanes which have not
 * reached it since.
 */
export const shouldClose = (suspicions: readonly CountedFailure[], again: boolean): boolean =>
  suspicions.filter(({ own }) => own !== undefined).length >= OWN_LANES_TO_CLOSE ||
  suspicions.length >= (again ? LANES_TO_CLOSE_AGAIN : LANES_TO_CLOSE) ||
  (!again && new Set(suspicions.map(({ party }) => party)).size >= PARTIES_TO_CLOSE)

/**
 * The lane for a probe. First chooses the party without failures, or with the oldest last failure; then one of its
 * lanes in the same way, a random one of several. `suspicions`: oldest first. `random` is in [0, 1).
 */
export const laneToProbe = <L extends Pick<CountedFailure, 'lane' | 'party'>>(
  lanes: readonly L[],
  suspicions: readonly CountedFailure[],
  random: number,
): L | undefined => {
  const longestAgo = (some: readonly L[], isOf: (one: L, suspicion: CountedFailure) => boolean): readonly L[] => {
    const last = some.map((one) => suspicions.findLastIndex((suspicion) => isOf(one, suspicion)))
    return some.filter((_, index) => last[index] === Math.min(...last))
  }
  const ofParty = longestAgo(lanes, (one, { party }) => one.party === party)
  const best = longestAgo(ofParty, (one, { lane }) => one.lane === lane)
  return best[Math.floor(random * best.length)]
}

/** Maximum number of lanes that are stored as suspects: a destination's item is read often and must stay small. */
export const MAX_STORED_LANES = 40

/**
 * In ms. Even with maximum jitter the fourth probe is within 30 s: healthy lanes behind a few hostile ones wait no
 * longer.
 */
const FIRST_PROBE = 1_500
const MAX_PROBE = 5 * 60_000

/**
 * Ms until the next probe, after this number of probes: 1.5 s, 3 s, ... 5 min, with jitter of ±20 %. `random` is in [0,
 * 1).
 */
export const probeDelay = (probes: number, random: number): number =>
  Math.ceil(Math.min(MAX_PROBE, FIRST_PROBE * 2 ** Math.min(probes, 30)) * (0.8 + 0.4 * random))

/**
 * After a lane's failure has closed a destination that other lanes can reach, its failures do not count for this time
 * (ms).
 */
export const IGNORED_FOR = 24 * 60 * 60_000

/** An attempt that took at least this time (ms) was slow, whatever its outcome. */
export const SLOW_MS = 1_500

/**
 * A destination that has responded faster is known to be quick for this time (ms). A quick response in its second half
 * renews it.
 */
export const QUICK_FOR = 30 * 24 * 60 * 60_000

/** A destination counts as slow for this time (ms) after its last slow attempt. */
export const SLOW_FOR = 10 * 60_000

/** A destination that has become slow n times is slow until 2^(n - 1) quick responses; n is at most this. */
export const MAX_SLOW_TIMES = 4
