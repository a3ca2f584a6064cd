/** Two hours in which half of the table's requests fail and processes end at random: nothing is set aside, and everything is delivered in order. */
import './queue-urls.ts'
import { expect, test, vi } from 'vitest'
import { FULL } from '../support/depth.ts'
import { seeded } from './seeded.ts'
import { HEALTHY } from './service.ts'
import { connectionTo } from './traffic.ts'
import { HOUR, World } from './world.ts'

process.env.LOG_LEVEL = 'info'
const lines: string[] = []
vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))

const TROUBLE = 2 * HOUR

test.each(FULL ? [1, 2, 3] : [1])('sets nothing aside, and loses nothing (seed %i)', async (seed) => {
  lines.length = 0
  const chance = seeded(seed)
  let world: World | undefined
  let ends = 0
  const isBad = () => world !== undefined && world.elapsed < TROUBLE
  // All processes of a simulation share what they know: one that ended while it read the table's layout would stop them all.
  const processEnds = () => {
    const is = isBad() && world?.acceptedCount !== 0 && chance() < 0.1
    if (is) ends += 1
    return is
  }
  const trouble = () => (isBad() && chance() < 0.5 ? ('table' as const) : undefined)
  world = new World({ fast: 10, slow: 5, window: 120_000, trouble, processEnds }, () => HEALTHY, 5)
  const { newId } = world
  const lanes = Array.from({ length: 60 }, (_, index) =>
    connectionTo(`https://wallet-${index % 6}.example`, `tenant-${index % 10}`, newId()),
  )
  // What was received may wait still, because that was not recorded: no wake-up says that its message is the first one.
  for (const lane of lanes) delete lane.destination
  world.traffic(lanes, { count: 1_200, from: 0, until: TROUBLE })
  await world.runUntil(TROUBLE + 2 * HOUR)
  world.service.stop()

  // The trouble is what it is meant to be.
  expect(ends).toBeGreaterThan(300)
  expect(lines.filter((line) => line.includes('outbox.delivery_failed')).length).toBeGreaterThan(100)
  expect(lines.filter((line) => line.includes('outbox.item_set_aside'))).toEqual([])
  expect(world.givenUp()).toBe(0)
  expect(world.leftovers()).toEqual({})
  expect([...world.table.items()].filter(({ kind }) => kind?.S === 'outbox-outcome')).toEqual([])
  // What could not be recorded is sent again, before anything else of its lane.
  for (const fault of world.errors) {
    const [, came, expected] = /: (\d+) came in the place of (\d+)$/.exec(fault) ?? []
    expect(Number(came)).toBe(Number(expected) - 1)
  }
})
