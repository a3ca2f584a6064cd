/** The outage of one mediator with many connections behind it, or of many webhook endpoints, beside healthy destinations. */
import * as v from 'valibot'
import { BASE_AGENT } from '../../lib/records/tenant.ts'
import { type Answer, HEALTHY } from './service.ts'
import { connectionTo, endpointAt, recordAt, type Traffic } from './traffic.ts'
import { HOUR, MINUTE, quantile, type ReceivedAttempt, World } from './world.ts'

export interface Size {
  connections: number
  messages: number
  tenants: number
  healthy: number
  fast: number
  slow: number
  window: number
  /** Events instead of messages, to so many endpoints: two or three of each record. */
  endpoints?: number
}

/** The full size, times `scale`; capacity is scaled too, so that scarce resources stay scarce. */
export const sizeOf = (scale: number): Size => ({
  connections: Math.max(10, 100_000 * scale),
  messages: Math.max(100, 1_000_000 * scale),
  tenants: 200,
  healthy: Math.max(10, 1_000 * scale),
  fast: Math.max(4, 200 * scale),
  slow: Math.max(2, 50 * scale),
  window: Math.max(1_000, 120_000 * scale),
})

/** 500,000 events for 50 endpoints, times `scale`. */
export const eventSizeOf = (scale: number): Size => ({
  ...sizeOf(scale),
  connections: Math.max(40, 200_000 * scale),
  messages: Math.max(100, 500_000 * scale),
  endpoints: Math.max(5, Math.round(50 * scale)),
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
  /** How old messages and events are when they are committed, in ms. */
  age?: number
  /** The messages are basic messages of the base agent, whose organization has an endpoint for the events about their delivery. */
  told?: boolean
  /** Each connection has a separate address at the mediator; by default all have the same. */
  ownAddresses?: boolean
  /** `RecursiveLoop: Allow` on the functions, as serverless.yml has it. */
  allowLoop?: boolean
}

export interface OutageResult {
  healthyP50: number
  healthyP95: number
  healthyMessages: number
  /** Attempts at what was down while it was, and the probes among them. */
  attempts: number
  probes: number
  /** Ms of the outage after which each attempt was a probe, and the lanes in which there were others until then. */
  closedAfter: number
  tried: number
  /** Minutes from its return until all was delivered. */
  recovery: number
  faults: string[]
  /** Not accepted; of these, given up. */
  missing: number
  givenUp: number
  /** Messages that Lambda's loop detection has removed. */
  stopped: number
  lambdaSeconds: number
  /**
   * What one message or event cost where all of them were given up, and which part that is of what it cost when each had 585 attempts of its
   * own, with two requests to the table each. The healthy traffic beside is counted in.
   */
  perItem?: { lambdaSeconds: number; requests: number; lambdaShare: number; requestShare: number }
  requests: Record<string, number>
  throttled: number
  peaks: Record<string, string>
  queuePeak: number
  left: Record<string, number>
  /** The number of events that an endpoint has received, by type, and the number of duplicates. */
  told?: { byType: Record<string, number>; twice: number }
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

/** Endpoints that are down for 60 h. */
export const EVENT_OUTAGE: Omit<OutageOptions, 'size' | 'failing'> = {
  ...OUTAGE,
  downUntil: 60 * HOUR,
  sentUntil: 60 * HOUR,
  end: 62 * HOUR,
}

/** For good: their events are given up after the retry plan, of 75 h 35 min. */
export const DEAD_EVENTS: Omit<OutageOptions, 'size' | 'failing'> = {
  ...OUTAGE,
  downFrom: 0,
  downUntil: 200 * HOUR,
  sentUntil: HOUR,
  end: 78 * HOUR,
  healthyRate: 0.1,
}

/** Permanently down: all is sent in the first hour, and given up after a day. */
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

/** Attempts at a message that was never accepted, before destinations had a circuit breaker. */
const ATTEMPTS_BEFORE = 585

/** Where the base agent's organization hears of what becomes of messages. */
const TOLD = 'https://told.example'

/** Ms of a function around an attempt. */
const AROUND = 30

/** Events by their types, and those that came twice. */
const countsOf = (bodies: readonly string[]): NonNullable<OutageResult['told']> => {
  const events = bodies.map((body) =>
    v.parse(v.object({ type: v.string(), data: v.object({ record: v.object({ id: v.string() }) }) }), JSON.parse(body)),
  )
  const different = new Map(events.map(({ type, data }) => [`${type} ${data.record.id}`, type]))
  const types = Map.groupBy(different.values(), (type) => type)
  return {
    byType: Object.fromEntries([...types].map(([type, all]) => [type, all.length])),
    twice: bodies.length - different.size,
  }
}

export const runOutage = async (options: OutageOptions): Promise<OutageResult> => {
  const startedAt = performance.now()
  const { size, failing, downFrom, downUntil, sentUntil, end, healthyRate, age = 0, allowLoop = true } = options
  const dead = 'https://dead'
  let attempts = 0
  let probes = 0
  let closedAfter = 0
  const tried = new Set<string>()
  const told: string[] = []
  let lastTaken = 0
  const receive = ({ origin, lane, payload, probe, elapsed }: ReceivedAttempt): Answer => {
    if (origin === TOLD) told.push(payload)
    if (!origin.startsWith(dead)) return HEALTHY
    lastTaken = elapsed
    if (elapsed < downFrom || elapsed >= downUntil) return HEALTHY
    attempts += 1
    if (probe) return failing ?? HEALTHY
    tried.add(lane)
    closedAfter = elapsed - downFrom
    return failing ?? HEALTHY
  }
  const world = new World({ ...size, allowLoop }, receive, options.tick)
  const tenants = Array.from({ length: size.tenants }, world.newId)
  const tenantOf = (index: number) => tenants[index % tenants.length] ?? ''
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
  const endpoints = numbers(size.endpoints ?? 0).map((index) =>
    endpointAt(`${dead}-${index}.example`, world.newId, world.start),
  )
  const listener = endpointAt(TOLD, world.newId, world.start, 'base')
  await world.register(options.told === true ? [...endpoints, listener] : endpoints)
  const lanes = numbers(size.connections).map((index): Traffic => {
    const endpoint = endpoints[index % endpoints.length]
    if (endpoint !== undefined) return recordAt(endpoint, world.newId(), age)
    const path = options.ownAddresses === true ? `/${index}` : '/'
    return options.told === true
      ? connectionTo(`${dead}.example`, BASE_AGENT, world.newId(), { age, newId: world.newId })
      : connectionTo(`${dead}.example`, tenantOf(index), world.newId(), { age, path })
  })
  const healthy = numbers(size.healthy).map((index) =>
    connectionTo(`https://healthy-${index}.example`, tenantOf(index), world.newId()),
  )
  if (failing !== undefined) world.traffic(lanes, { count: size.messages, from: 0, until: sentUntil })
  const hours = end / HOUR
  world.traffic(healthy, { count: Math.round(size.healthy * healthyRate * hours), from: 0, until: end })

  world.service.onSend = (body) => {
    if (body.includes('"probe"')) probes += 1
  }
  await world.runUntil(end)
  await world.runUntilTaken(end + HOUR)
  world.service.stop()

  const delays = [...world.delays]
    .filter(([origin]) => origin.startsWith('https://healthy'))
    .flatMap(([, values]) => values)
  const milliseconds = delays.map(({ delay }) => delay)
  const { table: requests, queues, lambdaSeconds } = world.service
  const givenUp = world.givenUp()
  const before = ATTEMPTS_BEFORE * size.messages
  const perItem = givenUp === size.messages &&
    failing !== undefined && {
      lambdaSeconds: lambdaSeconds / size.messages,
      requests: requests.total / size.messages,
      lambdaShare: lambdaSeconds / ((before * (failing.after + AROUND)) / 1000),
      requestShare: requests.total / (before * 2),
    }
  return {
    healthyP50: quantile(milliseconds, 0.5),
    healthyP95: quantile(milliseconds, 0.95),
    healthyMessages: delays.length,
    attempts,
    probes,
    closedAfter,
    tried: tried.size,
    recovery: failing === undefined ? 0 : Math.max(0, lastTaken - downUntil) / MINUTE,
    stopped: world.service.stopped,
    faults: world.errors,
    missing: world.committed - world.acceptedCount,
    givenUp,
    ...(perItem && { perItem }),
    lambdaSeconds,
    requests: { ...requests.requests, all: requests.total },
    throttled: requests.throttled,
    peaks: Object.fromEntries(Object.entries(requests.peaks).map(([kind, { units }]) => [kind, `${units}/s`])),
    queuePeak: Math.max(queues.fast.peak, queues.slow.peak),
    left: world.leftovers(),
    ...(options.told === true && { told: countsOf(told) }),
    realSeconds: (performance.now() - startedAt) / 1000,
  }
}
