/** Slots: the concurrent attempts at a slow destination. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { freeSlots, takeSlot } from '../../../lib/outbox/destinations/slow-destination.ts'
import { newOrigin, useOutboxScene } from './scene.ts'

const scene = await useOutboxScene()

/** Longer than an attempt takes (15 s). */
const HELD = 20_000

test('a slot is free when it is released, or 20 s after its process died', async () => {
  const origin = newOrigin()
  const take = () => takeSlot(origin, randomUUID(), { now: scene.now, random: 0 })
  const taken = [await take(), await take(), await take(), await take()]
  expect(taken).not.toContain(undefined)
  expect(await take()).toBeUndefined()
  // The item of a process that died expires soon. In seconds.
  for (const { kind, expiresAt } of await scene.table.items())
    if (kind?.S === 'slot')
      expect(Number(expiresAt?.N) - scene.now / 1000).toSatisfy((left: number) => left > 20 && left < 120)

  await taken[2]?.release()
  expect(await freeSlots(origin, scene.now)).toBe(1)
  expect(await take()).toBeDefined()

  scene.now += HELD - 1
  expect(await take()).toBeUndefined()
  scene.now += 1
  expect(await freeSlots(origin, scene.now)).toBe(4)
  const again = [await take(), await take(), await take(), await take()]
  expect(again).not.toContain(undefined)
  // If the process continues after that, it does not release the slots of others.
  await taken[0]?.release()
  expect(await take()).toBeUndefined()
})

test('one slot is taken, although the response of that write is lost', async () => {
  const origin = newOrigin()
  let tries = 0
  scene.table.way = async (command, send) => {
    await send()
    if (command === 'PutItem' && ++tries === 1) throw Object.assign(new Error('injected'), { name: 'TimeoutError' })
  }
  const taken = await takeSlot(origin, 'lease', { now: scene.now, random: 0 })
  expect(tries).toBe(2)
  expect(await freeSlots(origin, scene.now)).toBe(3)
  await taken?.release()
  expect(await freeSlots(origin, scene.now)).toBe(4)
})
