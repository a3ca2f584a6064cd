/** Hostile receivers beside healthy ones: failing connections behind a shared mediator, and endpoints that respond late. */
import { type Answer, HEALTHY, TARPIT } from './service.ts'
import { connectionTo, type Traffic } from './traffic.ts'
import { MINUTE, quantile, type ReceivedAttempt, World } from './world.ts'

const newTenants = (count: number, { newId }: World): string[] => Array.from({ length: count }, newId)

const connections = (
  count: number,
  origin: (index: number) => string,
  tenants: readonly string[],
  { newId, path = () => '/' }: { newId: () => string; path?: (index: number) => string },
): Traffic[] =>
  Array.from({ length: count }, (_, index) =>
    connectionTo(origin(index), tenants[index % tenants.length] ?? '', newId(), { path: path(index) }),
  )

export interface HostileResult {
  p50: number
  p95: number
  max: number
  /** Healthy connections that had more than one message which waited for over a second. */
  delayedTwice: number
  closings: number
  healthyMessages: number
  requests: number
  lambdaSeconds: number
  faults: string[]
  realSeconds: number
}

const resultOf = (world: World, healthy: readonly { origin: string; delay: number }[], startedAt: number) => {
  const delays = healthy.map(({ delay }) => delay)
  return {
    p50: quantile(delays, 0.5),
    p95: quantile(delays, 0.95),
    max: Math.max(0, ...delays),
    healthyMessages: delays.length,
    requests: world.service.table.total,
    lambdaSeconds: world.service.lambdaSeconds,
    faults: world.errors,
    realSeconds: (performance.now() - startedAt) / 1000,
  }
}

export interface HostileOptions {
  /** Number of hostile connections; default fifty. */
  hostile?: number
  /** Each connection, hostile or healthy, has a separate address; by default all share one. */
  ownAddresses?: boolean
}

/** Fifty connections with this response of a mediator, and a hundred healthy ones behind it. Each gets a message every 20 s. */
export const runHostile = async (
  hostileAnswer: Answer,
  { hostile: count = 50, ownAddresses = false }: HostileOptions = {},
): Promise<HostileResult> => {
  const startedAt = performance.now()
  const mediator = 'https://mediator.example'
  const lanes = new Set<string>()
  const receive = ({ lane }: ReceivedAttempt): Answer => (lanes.has(lane) ? hostileAnswer : HEALTHY)
  const world = new World({ fast: 20, slow: 5, window: 120_000 }, receive)
  const { newId } = world
  const path = (kind: string) => (index: number) => (ownAddresses ? `/${kind}/${index}` : '/')
  const hostile = connections(count, () => mediator, newTenants(20, world), { newId, path: path('hostile') })
  const healthy = connections(100, () => mediator, newTenants(20, world), { newId, path: path('healthy') })
  for (const { lane } of hostile) lanes.add(lane)
  const end = 3 * MINUTE
  world.traffic(hostile, { count, from: 0, until: MINUTE })
  world.traffic(healthy, { count: 900, from: 0, until: end })
  let closings = 0
  world.service.onSend = (body) => {
    if (body.includes('"destination"') && body.includes('"at"') && !body.includes('"lane"')) closings += 1
  }
  await world.runUntil(end + MINUTE)
  world.service.stop()
  const delays = (world.delays.get(mediator) ?? []).map(({ delay, lane }) => ({ origin: lane, delay }))
  const late = delays.filter(({ delay }) => delay > 1_000).map(({ origin }) => origin)
  const delayedTwice = late.length - new Set(late).size
  return { ...resultOf(world, delays, startedAt), delayedTwice, closings }
}

export interface TarpitSize {
  tarpits: number
  healthy: number
  fast: number
  slow: number
  /** Ms; default half an hour. */
  end?: number
  /** All tarpits at the same time, in the middle, with messages to each in one second; they are unknown destinations. `primed`: each has answered quickly until then. */
  atOnce?: 'new' | 'primed'
  /** The tarpits' connections belong to tenants that have healthy ones too. */
  sameTenants?: boolean
}

export const tarpitSize = (scale: number): TarpitSize => ({
  tarpits: Math.max(5, 500 * scale),
  healthy: Math.max(10, 1_000 * scale),
  fast: Math.max(2, 200 * scale),
  slow: Math.max(2, 50 * scale),
})

/**
 * Endpoints that respond 200 after 14 s, each under a separate host name, with a message a minute or several in the
 * same second; none if `tarpits` is 0. Healthy ones have a message every 30 s. The measurement begins with the first
 * message to a tarpit.
 */
export const runTarpits = async (size: TarpitSize): Promise<HostileResult> => {
  const startedAt = performance.now()
  const { tarpits, healthy, fast, slow, end = 30 * MINUTE, atOnce, sameTenants = false } = size
  const late = 'https://tarpit'
  const from = atOnce === undefined ? 0 : end / 2
  const receive = ({ origin, elapsed }: ReceivedAttempt): Answer =>
    origin.startsWith(late) && (atOnce !== 'primed' || elapsed >= from) ? TARPIT : HEALTHY
  const world = new World({ fast, slow, window: 120_000 }, receive)
  const tenants = newTenants(20, world)
  const lateTenants = sameTenants ? tenants.slice(0, 5) : newTenants(5, world)
  const to = connections(tarpits, (index) => `${late}-${index}.example`, lateTenants, world)
  if (atOnce === undefined) world.traffic(to, { count: (tarpits * end) / MINUTE, from, until: end })
  else world.traffic(to, { count: tarpits * 2, from, until: from + 1_000 })
  if (atOnce === 'primed') world.traffic(to, { count: tarpits, from: 0, until: from - MINUTE })
  const others = connections(healthy, (index) => `https://healthy-${index}.example`, tenants, world)
  world.traffic(others, { count: (healthy * 2 * end) / MINUTE, from: 0, until: end })
  await world.runUntil(end)
  world.service.stop()
  const delays = [...world.delays]
    .filter(([origin]) => origin.startsWith('https://healthy'))
    .flatMap(([origin, values]) => values.map(({ delay, at }) => ({ origin, delay, at })))
    .filter(({ at }) => at - world.start >= from)
  return { ...resultOf(world, delays, startedAt), delayedTwice: 0, closings: 0 }
}
