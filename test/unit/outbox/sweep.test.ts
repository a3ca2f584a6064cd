/** The sweep: what is due is woken, whoever has died; idle, it costs little and wakes nothing. */
import { describe, expect, test } from 'vitest'
import { sweep } from '../../../lib/outbox/sweep.ts'
import { isForLane } from '../../../lib/outbox/wake-up.ts'
import { toKey } from '../../../lib/store/table.ts'
import { answered, failing, newOrigin, useOutboxScene } from './scene.ts'

const scene = await useOutboxScene()

const SECOND = 1_000
const MINUTE = 60 * SECOND

describe('the sweep', () => {
  test('asks each shard of the index once where nothing is due, and wakes nothing', async () => {
    scene.table.watch()
    expect(await sweep(scene.now)).toEqual({ entries: 0, age: 0 })
    expect(scene.table.requests).toEqual(Array.from({ length: 16 }, () => 'Query'))
    expect(scene.sent).toEqual([])
  })

  test('wakes lanes and destinations that are due, tells how many and how old, and leaves the others', async () => {
    const origin = newOrigin()
    scene.respond = ({ endpoint }) => (endpoint.startsWith(origin) ? failing('connect') : answered(500))
    scene.random = 0.999
    await scene.sendTo(origin, 2)
    await scene.sendTo(newOrigin(), 1)
    await scene.handleAll()
    scene.waiting.length = 0
    expect(await sweep(scene.now)).toMatchObject({ entries: 0 })
    scene.now += MINUTE
    const { entries, age } = await sweep(scene.now)
    expect(entries).toBe(2)
    expect(age).toBeGreaterThan(50 * SECOND)
    expect(scene.waiting.map(({ wakeUp }) => isForLane(wakeUp)).sort()).toEqual([false, true])
  })

  test('wakes again what a queue did not take', async () => {
    const to = scene.newLane()
    scene.respond = () => answered(500)
    await scene.send(to, 'one', { origin: newOrigin() })
    await scene.handleAll()
    scene.waiting.length = 0
    scene.now += MINUTE
    scene.sqsFails = true
    await sweep(scene.now)
    scene.sqsFails = false
    scene.respond = () => answered(200)
    await scene.pass(2 * MINUTE)
    expect(scene.taken).toEqual(['one'])
  })

  test('survives an item of the index that is neither', async () => {
    await scene.table.put({
      ...toKey({ pk: 'odd', sk: '-' }),
      dueShard: { S: 'due|3' },
      dueAt: { N: '5' },
      kind: { S: 'odd' },
    })
    expect(await sweep(scene.now)).toMatchObject({ entries: 0 })
  })
})
