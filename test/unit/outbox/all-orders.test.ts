/** Deliveries in all orders of their steps, on a table in memory, with crashes, errors and repetitions at each point: no invariant is violated. */
import { expect, test } from 'vitest'
import type { PostOutcome } from '../../../lib/egress/post.ts'
import { QUICK_FOR } from '../../../lib/outbox/destinations/circuit-breaker.ts'
import { type Destination, destinationItem } from '../../../lib/outbox/destinations/destination.ts'

import { forgottenIn, wrongInTheEnd } from './invariants.ts'
import { type Attempted, itemsOf, ORIGIN, World } from './worlds.ts'

/** Maximum number of crashes, errors and repetitions in a walk. Deeper walks take much longer. */
const DEPTH = Number(process.env.DELIVERY_DEPTH ?? 1)

/** The situations with most orders: without crashes and errors, except in `npm run test:full`. */
const LARGEST = new Set(['a slow destination', 'a destination that cannot be reached'])
const depthOf = (situation: string): number => (LARGEST.has(situation) && process.env.DEPTH !== 'full' ? 0 : DEPTH)

const SECOND = 1_000
const DAY = 24 * 3_600 * SECOND

interface Situation {
  /** Items of lanes that are committed at first, and at any time. */
  first?: string[]
  later?: string[]
  /** What the receivers do at first. */
  outcomes?: PostOutcome[]
  /** How long ago the items were created. */
  age?: number
  /** What is known of the destination. */
  known?: Partial<Destination>
}

const QUICK = { quickUntil: new World().now + QUICK_FOR }
const failing = (failure: NonNullable<PostOutcome['failure']>): PostOutcome => ({
  ...{ headers: {}, body: '', milliseconds: 20, failure, detail: 'model' },
})
const answered = (status: number): PostOutcome => ({ headers: {}, body: '', milliseconds: 20, status })

const SITUATIONS: Record<string, Situation> = {
  'a lane of a quick destination': { later: ['a 1', 'a 2'], known: QUICK },
  'one with several items': { first: ['a 1', 'a 2'], known: QUICK },
  // Time until a wake-up is received again: three minutes.
  'items that are committed in another order than that of their ids': {
    ...{ later: ['a 2', 'a 1'], outcomes: Array.from({ length: 8 }, () => answered(500)), known: QUICK },
  },
  'two lanes of it': { first: ['a 1', 'b 1'], known: QUICK },
  'a failed attempt': { first: ['a 1'], later: ['a 2'], outcomes: [answered(500)], known: QUICK },
  'several of them': { first: ['a 1', 'a 2'], outcomes: [500, 404, 429].map(answered), known: QUICK },
  'an unknown destination': { first: ['a 1'] },
  'a slow destination': { first: ['a 1', 'a 2'], known: { slowUntil: new World().now + DAY, slowLeft: 1 } },
  'a destination that cannot be reached': { first: ['a 1', 'b 1'], outcomes: [failing('connect')], known: QUICK },
  'one that is down for longer': {
    first: ['a 1'],
    outcomes: [failing('dns'), failing('connect')],
    known: QUICK,
  },
  'an item whose time is over': { first: ['a 1', 'a 2'], outcomes: [answered(404)], age: DAY, known: QUICK },
  'an item whose time will soon be over': {
    ...{ first: ['a 1', 'a 2'], outcomes: [answered(404), failing('connect')], age: DAY - 20 * SECOND, known: QUICK },
  },
}

const beginOf = ({ first = [], later = [], outcomes = [], age = 0, known }: Situation): World => {
  const world = new World()
  world.created = world.now - age
  if (known !== undefined) world.put(destinationItem.encode({ destination: ORIGIN, version: 1, ...known }))
  world.outcomes = outcomes
  world.commits = itemsOf([...first, ...later])
  for (const _ of first) world.commit()
  return world
}

/** Walks through all worlds that follow from one. Returns the first violation. */
const walk = async (
  first: World,
  items: readonly Attempted[],
  depth: number,
): Promise<{ worlds: number; ends: number; wrong: string | undefined }> => {
  const seen = new Set<string>()
  const open = [first]
  let ends = 0
  for (let world = open.pop(); world !== undefined; world = open.pop()) {
    await world.settle()
    const print = world.print()
    if (seen.has(print)) continue
    seen.add(print)
    const forgotten = forgottenIn(world)
    const wrong = world.broken ?? (forgotten && `no wake-up for ${forgotten}`)
    if (wrong !== undefined) return { worlds: seen.size, ends, wrong }
    const next = world.choices(depth - world.troubles)
    const later = world.copy()
    if (next.length > 0) open.push(...next)
    else if (later.passes()) open.push(later)
    else {
      ends += 1
      const left = wrongInTheEnd(world, items, first.outcomes.length)
      if (left !== undefined) return { worlds: seen.size, ends, wrong: left }
    }
  }
  return { worlds: seen.size, ends, wrong: undefined }
}

test.each(Object.entries(SITUATIONS))('%s', async (name, situation) => {
  const { first = [], later = [] } = situation
  const result = await walk(beginOf(situation), itemsOf([...first, ...later]), depthOf(name))
  expect(result.wrong).toBeUndefined()
  expect(result.ends).toBeGreaterThan(depthOf(name))
})
