/** What the outbox measures: deliveries by what came of them, destinations that close, and what waits, wherever it waits. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Census } from '../../../lib/outbox/census.ts'
import { laneItem } from '../../../lib/outbox/lanes/lane.ts'
import { MESSAGE_PLAN } from '../../../lib/outbox/lanes/retry-plan.ts'
import { sweep } from '../../../lib/outbox/sweep.ts'
import { settings } from '../../../lib/settings.ts'
import { dueFor } from '../../../lib/store/due.ts'
import type { SentWakeUp } from './scene.ts'
import { answered, failing, newOrigin, useOutboxScene } from './scene.ts'

const lines: Record<string, number | string>[] = []

process.env.LOG_LEVEL = 'info'
vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(JSON.parse(line)))
const scene = await useOutboxScene()
beforeEach(async () => {
  await scene.reset()
  // The next minute with a census.
  scene.now = (Math.ceil(scene.now / CENSUS) + 1) * CENSUS
  lines.length = 0
})

const MINUTE = 60_000
const CENSUS = 5 * MINUTE

const sum = (metric: string): number => lines.reduce((total, { [metric]: value }) => total + Number(value ?? 0), 0)
const counted = () => lines.filter(({ event }) => event === 'outbox.counted')
const countedAt = async (now: number) => {
  lines.length = 0
  await sweep(now)
  return counted()[0]
}

describe('deliveries', () => {
  test('count as delivered, as failed attempts, and as given up', async () => {
    let failures = 0
    scene.respond = () => answered(failures++ < 2 ? 500 : 200)
    await scene.sendTo(newOrigin(), 1)
    await scene.handleAll()
    await scene.pass(2 * MINUTE)
    expect([sum('MessagesDelivered'), sum('AttemptsFailed'), sum('MessagesGivenUp')]).toEqual([1, 2, 0])
    const again = { lastError: expect.any(String), nextAttemptAt: expect.any(String) }
    expect(lines.filter(({ event }) => event === 'outbox.attempt_failed')).toMatchObject([again, again])

    scene.respond = () => answered(500)
    const [late] = await scene.sendTo(newOrigin(), 1)
    await scene.handleAll()
    scene.now += MESSAGE_PLAN.lifetime
    await sweep(scene.now)
    await scene.handleAll()
    expect(sum('MessagesGivenUp')).toBe(1)
    expect(lines.filter(({ event }) => event === 'outbox.given_up')).toMatchObject([{ tenant: late?.tenant }])
    expect(late && (await scene.lane(late.lane))).toBeUndefined()
  })

  test('count a wake-up for a lane of no known kind, which nobody delivers', async () => {
    await scene.committed('nobody knows it')
    expect(lines).toMatchObject([{ event: 'outbox.unknown_lane', WakeUpsDead: 1 }])
  })

  test('leave one line a delivery, and none where nothing was tried', async () => {
    const to = scene.newLane()
    for (const payload of ['one', 'two', 'three']) await scene.commit(to, payload)
    await scene.send(to, 'four')
    await scene.handleAll()
    const ended = lines.filter(({ event }) => event === 'outbox.delivery_ended')
    expect(ended).toMatchObject([{ MessagesDelivered: 4 }])
    await scene.handleOrRepeat({ ...(scene.sent[0] as SentWakeUp), at: scene.now })
    expect(lines.filter(({ event }) => event === 'outbox.delivery_ended')).toHaveLength(1)
  })

  test('count a destination once when it closes', async () => {
    scene.respond = () => failing('connect')
    await scene.sendTo(newOrigin(), 5)
    await scene.handleAll()
    expect(sum('DestinationsClosed')).toBe(1)
  })
})

describe('what waits', () => {
  test('is nothing where nothing does', async () => {
    scene.table.watch()
    expect(await countedAt(scene.now)).toBeUndefined()
    expect(scene.table.requests).toEqual([...Array.from({ length: 16 }, () => 'Query'), 'BatchGetItem', 'PutItem'])
  })

  test('is counted every five minutes, and a minute later where that failed', async () => {
    const { lane } = scene.newLane()
    await scene.table.put(laneItem.encode({ lane, epoch: scene.now, ...dueFor(lane, scene.now + 60 * MINUTE) }))
    const minutes = [0, 1, 2, 3, 4, 5].map((minute) => scene.now + minute * MINUTE)
    for (const now of minutes) await sweep(now)
    expect(counted()).toHaveLength(2)
    const failed = vi.spyOn(Census.prototype, 'result').mockRejectedValueOnce(new Error('injected'))
    await expect(sweep(scene.now + 2 * CENSUS)).rejects.toThrow('injected')
    failed.mockRestore()
    await sweep(scene.now + 2 * CENSUS + MINUTE)
    expect(counted()).toHaveLength(3)
  })

  const alarms = () =>
    lines.flatMap(({ event, alarm, weight }) => (alarm === undefined ? [] : [[event, alarm, weight]]))

  test('is an alarm where so many lanes do, or one for longer than it may', async () => {
    const { lane } = scene.newLane()
    const waits = async (since: number) => {
      await scene.table.put(laneItem.encode({ lane, epoch: since, ...dueFor(lane, scene.now + 60 * MINUTE) }))
      await countedAt(scene.now)
      scene.now += CENSUS
      return alarms()
    }
    expect(await waits(scene.now - 76 * 60 * MINUTE)).toEqual([])
    expect(await waits(scene.now - 78 * 60 * MINUTE)).toEqual([['outbox.not_given_up', 'FaultsAlarm', 100_000_000]])
    settings().WAITING_LANES = 1
    expect(await waits(scene.now)).toEqual([['outbox.crowded', 'UnreachableAlarm', 33_333_334]])
    settings().WAITING_LANES = 1_000
  })

  test('and is due for ten minutes is an alarm when four sweeps of five find it', async () => {
    const { lane } = scene.newLane()
    await scene.table.put(laneItem.encode({ lane, ...dueFor(lane, scene.now - 9 * MINUTE) }))
    await sweep(scene.now)
    expect(alarms()).toEqual([])
    await sweep(scene.now + MINUTE)
    expect(alarms()).toEqual([['outbox.overdue', 'FaultsAlarm', 25_000_000]])
  })

  test('counts lanes that wait for their next attempt, from the first that failed', async () => {
    scene.respond = () => answered(500)
    const failed = scene.now
    await scene.sendTo(newOrigin(), 2)
    await scene.handleAll()
    await scene.pass(CENSUS)
    lines.length = 0
    scene.now = Math.ceil(scene.now / CENSUS) * CENSUS
    expect(await countedAt(scene.now)).toMatchObject({ OutboxWaiting: 2, OutboxWaitingAge: scene.now - failed })
  })

  test('counts every lane that waits for a closed destination, from when it came to wait', async () => {
    scene.respond = () => failing('connect')
    const since = scene.now
    await scene.sendTo(newOrigin(), 30)
    await scene.handleAll()
    scene.now += CENSUS
    expect(await countedAt(scene.now)).toMatchObject({ OutboxWaiting: 30, OutboxWaitingAge: scene.now - since })
  })

  test('counts a lane whose next attempt is almost two days away: a receiver may ask for 40 hours', async () => {
    const { lane } = scene.newLane()
    const epoch = scene.now - MINUTE
    await scene.table.put(laneItem.encode({ lane, epoch, ...dueFor(lane, scene.now + 40 * 60 * MINUTE) }))
    expect(await countedAt(scene.now)).toMatchObject({ OutboxWaiting: 1, OutboxWaitingAge: MINUTE })
  })

  test('is nothing again once it has left', async () => {
    scene.respond = () => failing('connect')
    await scene.sendTo(newOrigin(), 3)
    await scene.handleAll()
    scene.respond = () => answered(200)
    await scene.pass(2 * CENSUS)
    scene.now = Math.ceil(scene.now / CENSUS) * CENSUS
    expect(await countedAt(scene.now)).toBeUndefined()
  })
})
