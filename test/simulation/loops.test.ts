/** Lambda's loop detection, which no emulator has: a long lane that wakes itself stays below it by its count of hops. */
import './queue-urls.ts'
import { expect, test } from 'vitest'
import { HEALTHY } from './service.ts'
import { connectionTo } from './traffic.ts'
import { MINUTE, World } from './world.ts'

/** A lane of 500 messages takes 20 deliveries. Only one wake-up starts it: the wake-up of each commit would begin a new chain. */
const runLongLane = async (options: { allowLoop: boolean; forgetHops: boolean }) => {
  const world = new World({ fast: 5, slow: 5, window: 1_000, ...options }, () => HEALTHY)
  const to = connectionTo('https://wallet.example', world.newId(), world.newId())
  world.clock.at(
    world.start,
    () =>
      void world.send(
        Array.from({ length: 500 }, () => to),
        1,
      ),
  )
  await world.runUntil(1_000)
  await world.runUntilTaken(10 * MINUTE)
  world.service.stop()
  const { acceptedCount: taken, errors: faults } = world
  return { taken, faults, stopped: world.service.stopped, minutes: Math.ceil(world.elapsed / MINUTE) }
}

test('a long lane is never stopped by loop detection: before that the sweep continues it', async () => {
  const result = await runLongLane({ allowLoop: false, forgetHops: false })
  expect(result).toEqual({ taken: 500, faults: [], stopped: 0, minutes: 2 })
})

test('it would be, without the count of hops', async () => {
  const { stopped, taken } = await runLongLane({ allowLoop: false, forgetHops: true })
  expect(stopped).toBeGreaterThan(0)
  // The consumer of the dead-letter queue saves it.
  expect(taken).toBe(500)
})
