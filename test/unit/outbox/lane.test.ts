/** Leases: one delivery at a time has a lane, and items that are committed meanwhile are delivered too. */
import { describe, expect, test } from 'vitest'
import { ensureLaneDue, type LeasedLane, laneWrites } from '../../../lib/outbox/lanes/lane.ts'
import type { LaneWakeUp } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { queryDue } from '../../../lib/store/table.ts'
import { transact } from '../../../lib/store/write.ts'
import { failure } from '../store/started-table.ts'
import { leaseLane } from './lease-lane.ts'
import { answered, useOutboxScene } from './scene.ts'

const scene = await useOutboxScene()

const committed = (lane: string): LaneWakeUp => ({ lane, reason: { kind: 'committed' } })

const lease = async (wakeUp: LaneWakeUp, id: string): Promise<LeasedLane> => {
  const { leased } = await leaseLane(wakeUp, id, scene.now)
  if (leased === undefined) throw new Error('not leased')
  return leased
}

describe('a lease', () => {
  test('has one holder: the second wake-up marks the lane and ends', async () => {
    const { lane } = scene.newLane()
    await lease(committed(lane), 'first')
    expect((await leaseLane(committed(lane), 'second', scene.now)).leased).toBeUndefined()
    expect(await scene.lane(lane)).toMatchObject({ lease: 'first', dirty: true })
  })

  test.each([
    [
      'handed over',
      (held: LeasedLane) => laneWrites.handOver(held, 'slow|first', scene.now + 60_000),
      { kind: 'released', waiting: 'slow|first' },
    ],
    [
      'released by its destination',
      (held: LeasedLane) => laneWrites.waitForDestination(held, { entry: '1|2|3', destination: 'd' }),
      { kind: 'released', waiting: '1|2|3' },
    ],
    [
      'due',
      (held: LeasedLane) => laneWrites.wait(held, { at: scene.now, failures: 1, now: scene.now }),
      { kind: 'due' },
    ],
  ] as const)('of a lane that was %s is marked by what is committed meanwhile', async (_, release, reason) => {
    const { lane } = scene.newLane()
    const at = scene.now
    await transact([release(await lease(committed(lane), 'first'))])
    const held = await lease({ lane, reason: reason.kind === 'due' ? { kind: 'due', at } : reason }, 'second')
    expect((await leaseLane(committed(lane), 'third', scene.now)).leased).toBeUndefined()
    expect(await transact([laneWrites.end(held)])).toMatchObject({ written: false, failed: [0] })
  })

  test('is not possible for other wake-ups once a released lane was handed over to the queue', async () => {
    const { lane } = scene.newLane()
    const first = await lease(committed(lane), 'first')
    await transact([laneWrites.waitForDestination(first, { entry: '1|2|3', destination: 'd' })])
    const second = await lease({ lane, reason: { kind: 'released', waiting: '1|2|3' } }, 'second')
    await transact([laneWrites.handOver(second, 'slow|second', scene.now + 60_000)])
    const { waiting, waitsFor } = (await scene.lane(lane)) ?? {}
    expect({ waiting, waitsFor }).toEqual({ waiting: 'slow|second', waitsFor: undefined })
  })

  test('is given to one of two concurrent wake-ups', async () => {
    const { lane } = scene.newLane()
    const both = await Promise.all(['a', 'b'].map((id) => leaseLane(committed(lane), id, scene.now)))
    expect(both.filter(({ leased }) => leased !== undefined)).toHaveLength(1)
    expect(await scene.lane(lane)).toMatchObject({ dirty: true })
  })

  test('ends after 45 s, longer than a function runs', async () => {
    const { lane } = scene.newLane()
    const held = await lease(committed(lane), 'first')
    scene.now += 44_999
    expect((await leaseLane(committed(lane), 'second', scene.now)).leased).toBeUndefined()
    scene.now += 1
    await lease(committed(lane), 'third')
    expect(await transact([laneWrites.nextItem(held)])).toMatchObject({ written: false, failed: [0] })
  })

  test('is kept if it was written and only the response was lost', async () => {
    const { lane } = scene.newLane()
    let lost = 0
    scene.table.way = async (command, send) => {
      await send()
      if (command === 'UpdateItem' && lost++ === 0) throw failure('TimeoutError')
    }
    expect(await lease(committed(lane), 'mine')).toMatchObject({ lease: 'mine' })
    expect((await scene.lane(lane))?.dirty).toBeUndefined()
  })

  test.each([
    ['taken', undefined],
    ['marked', 'first'],
  ])('is %s during a transaction of another invocation', async (_, holder) => {
    const { lane } = scene.newLane()
    if (holder !== undefined) await lease(committed(lane), holder)
    let writes = 0
    scene.table.way = async (command, send) => {
      if (command === 'UpdateItem' && [1, 3].includes(++writes)) throw failure('TransactionConflictException')
      await send()
    }
    await leaseLane(committed(lane), 'second', scene.now)
    expect(await scene.lane(lane)).toMatchObject(
      holder === undefined ? { lease: 'second' } : { lease: holder, dirty: true },
    )
  })

  test('ends with the lane only if it was not marked', async () => {
    const { lane } = scene.newLane()
    const held = await lease(committed(lane), 'first')
    await leaseLane(committed(lane), 'second', scene.now)
    expect(await transact([laneWrites.end(held)])).toMatchObject({ written: false, failed: [0] })
    await transact([laneWrites.readAgain(held)])
    expect(await transact([laneWrites.end(held)])).toEqual({ written: true })
    expect(await scene.lane(lane)).toBeUndefined()
  })
})

describe('a wake-up for a time', () => {
  test('works once: of several for the same time, only the first one does', async () => {
    const { lane } = scene.newLane()
    const at = scene.now + 1_000
    await transact([laneWrites.wait(await lease(committed(lane), 'first'), { at, failures: 1, now: scene.now })])
    scene.now = at
    const due: LaneWakeUp = { lane, reason: { kind: 'due', at } }
    const twice = await Promise.all(['a', 'b'].map((id) => leaseLane(due, id, scene.now)))
    expect(twice.filter(({ leased }) => leased !== undefined)).toHaveLength(1)
  })

  test('leaves the lane in the index until its lease ends, because the process may die', async () => {
    const { lane } = scene.newLane()
    const at = scene.now + 1_000
    await ensureLaneDue(lane, at)
    scene.now = at
    await lease({ lane, reason: { kind: 'due', at } }, 'first')
    expect((await scene.lane(lane))?.dueAt).toBe(at + 45_000)
  })

  test('does not wake a lane that waits for another time, or for its destination', async () => {
    const { lane } = scene.newLane()
    await transact([
      laneWrites.wait(await lease(committed(lane), 'first'), { at: scene.now + 10_000, failures: 1, now: scene.now }),
    ])
    expect((await leaseLane(committed(lane), 'second', scene.now)).leased).toBeUndefined()
    const early: LaneWakeUp = { lane, reason: { kind: 'due', at: scene.now } }
    expect((await leaseLane(early, 'third', scene.now)).leased).toBeUndefined()

    const other = scene.newLane().lane
    const wait = { entry: '1|2|3', destination: 'd' }
    await transact([laneWrites.waitForDestination(await lease(committed(other), 'first'), wait)])
    expect((await leaseLane(committed(other), 'second', scene.now)).leased).toBeUndefined()
    const stale: LaneWakeUp = { lane: other, reason: { kind: 'released', waiting: '1|2|4' } }
    expect((await leaseLane(stale, 'third', scene.now)).leased).toBeUndefined()
    await lease({ lane: other, reason: { kind: 'released', waiting: '1|2|3' } }, 'fourth')
  })
})

describe('an idle lane', () => {
  test('has no item, and its deliveries write nothing into the index `due`', async () => {
    const to = scene.newLane()
    let during: unknown
    scene.respond = async () => {
      during = await scene.lane(to.lane)
      return answered(200)
    }
    await scene.send(to, 'one')
    await scene.handleAll()
    expect(scene.accepted).toEqual(['one'])
    expect(during).not.toHaveProperty('dueAt')
    expect(await scene.lane(to.lane)).toBeUndefined()
  })

  test('is put into the index after its wake-ups were lost, and is delivered', async () => {
    const to = scene.newLane()
    await scene.commit(to, 'one')
    await ensureLaneDue(to.lane, scene.now)
    const shard = (await scene.table.items(to.lane)).find(({ kind }) => kind?.S === 'lane')?.dueShard?.S ?? ''
    expect((await queryDue(shard, scene.now)).items.map(({ lane }) => lane?.S)).toContain(to.lane)
    await scene.pass(60_000)
    expect(scene.accepted).toEqual(['one'])
    expect(await scene.left()).toEqual([])
  })
})
