/** The outage of one mediator with many connections behind it, beside healthy destinations. */
import { randomUUID } from 'node:crypto'
import type { StartedTable } from '../unit/store/started-table.ts'
import { type Answer, HEALTHY } from './service.ts'
import { HOUR, MINUTE, quantile, type Traffic, World } from './world.ts'

export interface Size {
  connections: number
  messages: number
  tenants: number
  healthy: number
  fast: number
  slow: number
  window: number
}

/** The size of the issue, times `scale`; capacity is scaled too, so that what is scarce stays scarce. */
export const sizeOf = (scale: number): Size => ({
  connections: Math.max(10, 100_000 * scale),
  messages: Math.max(100, 1_000_000 * scale),
  tenants: 200,
  healthy: Math.max(10, 1_000 * scale),
  fast: Math.max(4, 200 * scale),
  slow: Math.max(2, 50 * scale),
  window: Math.max(1_000, 120_000 * scale),
})

export interface OutageOptions {
  size: Size
  /** How the mediator fails; undefined: nothing is sent to it. */
  failing: Answer | undefined
  /** Ms from the start. */
  downFrom: number
  downUntil: number
  /** Messages to it are spread until then. */
  sentUntil: number
  end: number
  /** Messages to each healthy destination an hour. */
  healthyRate: number
  tick: number
  /** How old messages are when they are committed, in ms. */
  age?: number
}

export interface OutageResult {
  healthyP50: number
  healthyP95: number
  healthyMessages: number
  /** Attempts at the mediator while it was down, and the probes among them. */
  attempts: number
  probes: number
  /** Minutes from its return until all was delivered. */
  recovery: number
  faults: string[]
  /** Not taken; of these, given up. */
  missing: number
  givenUp: number
  lambdaSeconds: number
  requests: Record<string, number>
  throttled: number
  peaks: Record<string, string>
  queuePeak: number
  left: Record<string, number>
  realSeconds: number
}

export const OUTAGE: Omit<OutageOptions, 'size' | 'failing'> = {
  downFrom: 10 * MINUTE,
  downUntil: 20 * HOUR,
  sentUntil: 20 * HOUR,
  end: 22 * HOUR,
  healthyRate: 2,
  tick: 5,
}

/** Short enough for `npm test`: a tenth of the time and a thousandth of the size. */
export const SHORT: Omit<OutageOptions, 'size' | 'failing'> = {
  ...OUTAGE,
  downFrom: 2 * MINUTE,
  downUntil: 60 * MINUTE,
  sentUntil: 60 * MINUTE,
  end: 75 * MINUTE,
  healthyRate: 20,
}

/** Down for good: all is sent in the first hour, and given up after a day. */
export const DEAD: Omit<OutageOptions, 'size' | 'failing'> = {
  ...OUTAGE,
  downFrom: 0,
  downUntil: 100 * HOUR,
  sentUntil: HOUR,
  end: 26 * HOUR,
  healthyRate: 0.1,
}

/** Everything is sent within two seconds, with the capacity of the whole service: this is what keys of the table feel. */
export const BURST: Omit<OutageOptions, 'failing'> = {
  ...OUTAGE,
  size: { connections: 2_000, messages: 4_000, tenants: 200, healthy: 50, fast: 200, slow: 50, window: 120_000 },
  downFrom: 0,
  downUntil: 2 * MINUTE,
  sentUntil: 2_000,
  end: 10 * MINUTE,
  healthyRate: 60,
  tick: 1,
}

const connections = (count: number, tenants: readonly string[], origin: (index: number) => string): Traffic[] =>
  Array.from({ length: count }, (_, index) => ({
    tenant: tenants[index % tenants.length] ?? '',
    connectionId: randomUUID(),
    origin: origin(index),
  }))

export const runOutage = async (table: StartedTable, options: OutageOptions): Promise<OutageResult> => {
  const startedAt = performance.now()
  const { size, failing, downFrom, downUntil, sentUntil, end, healthyRate } = options
  const run = randomUUID().slice(0, 8)
  const mediator = `https://mediator-${run}.example`
  let attempts = 0
  const receive = (origin: string, _lane: string, elapsed: number): Answer => {
    if (origin !== mediator || elapsed < downFrom || elapsed >= downUntil) return HEALTHY
    attempts += 1
    return failing ?? HEALTHY
  }
  const world = new World(table, { ...size, age: options.age ?? 0 }, receive, options.tick)
  const tenants = Array.from({ length: size.tenants }, () => randomUUID())
  const dead = connections(size.connections, tenants, () => mediator)
  const healthy = connections(size.healthy, tenants, (index) => `https://healthy-${run}-${index}.example`)
  if (failing !== undefined) world.traffic(dead, { count: size.messages, from: 0, until: sentUntil })
  const hours = end / HOUR
  world.traffic(healthy, { count: Math.round(size.healthy * healthyRate * hours), from: 0, until: end })

  let probes = 0
  world.service.onSend = (body) => {
    if (body.includes('"probe"')) probes += 1
  }
  await world.runUntil(end)
  await world.runUntilTaken(end + HOUR)
  world.service.stop()

  const delays = [...world.delays]
    .filter(([origin]) => origin.startsWith(`https://healthy-${run}`))
    .flatMap(([, values]) => values)
  const milliseconds = delays.map(({ delay }) => delay)
  const { table: requests, queues } = world.service
  return {
    healthyP50: quantile(milliseconds, 0.5),
    healthyP95: quantile(milliseconds, 0.95),
    healthyMessages: delays.length,
    attempts,
    probes,
    recovery: ((world.lastTaken.get(mediator) ?? world.start) - world.start - downUntil) / MINUTE,
    faults: world.faults,
    missing: world.committed - world.taken,
    givenUp: await world.givenUp(),
    lambdaSeconds: world.service.lambdaSeconds,
    requests: { ...requests.requests, all: requests.total },
    throttled: requests.throttled,
    peaks: Object.fromEntries(Object.entries(requests.peaks).map(([kind, { units }]) => [kind, `${units}/s`])),
    queuePeak: Math.max(queues.fast.peak, queues.slow.peak),
    left: await world.leftovers(),
    realSeconds: (performance.now() - startedAt) / 1000,
  }
}
