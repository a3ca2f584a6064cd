/** The metrics of the outbox: deliveries by outcome, closed destinations, and waiting lanes. */
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

  test('count a wake-up for a lane of an unknown kind, which is not delivered', async () => {
    await scene.committed('unknown')
    expect(lines).toMatchObject([{ event: 'outbox.unknown_lane', WakeUpsDead: 1 }])
  })

  test('log one line for each delivery with an attempt', async () => {
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

describe('the count of waiting lanes', () => {
  test('is not measured if it is 0', async () => {
    scene.table.watch()
    expect(await countedAt(scene.now)).toBeUndefined()
    expect(scene.table.requests).toEqual([...Array.from({ length: 16 }, () => 'Query'), 'BatchGetItem', 'PutItem'])
  })

  test('is measured every five minutes, and a minute later after a failure', async () => {
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

  test('raises an alarm if many lanes wait, or one waits too long', async () => {
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

  test('raises an alarm if four of five sweeps find a lane that is due for ten minutes', async () => {
    const { lane } = scene.newLane()
    await scene.table.put(laneItem.encode({ lane, ...dueFor(lane, scene.now - 9 * MINUTE) }))
    await sweep(scene.now)
    expect(alarms()).toEqual([])
    await sweep(scene.now + MINUTE)
    expect(alarms()).toEqual([['outbox.overdue', 'FaultsAlarm', 25_000_000]])
  })

  test('includes lanes that wait for their next attempt, since the first failed attempt', async () => {
    scene.respond = () => answered(500)
    const failed = scene.now
    await scene.sendTo(newOrigin(), 2)
    await scene.handleAll()
    await scene.pass(CENSUS)
    lines.length = 0
    scene.now = Math.ceil(scene.now / CENSUS) * CENSUS
    expect(await countedAt(scene.now)).toMatchObject({ OutboxWaiting: 2, OutboxWaitingAge: scene.now - failed })
  })

  test('includes every lane that waits for a closed destination, since it was added to the list', async () => {
    scene.respond = () => failing('connect')
    const since = scene.now
    await scene.sendTo(newOrigin(), 30)
    await scene.handleAll()
    scene.now += CENSUS
    expect(await countedAt(scene.now)).toMatchObject({ OutboxWaiting: 30, OutboxWaitingAge: scene.now - since })
  })

  test('includes a lane whose next attempt is almost two days away: a receiver may request 40 hours', async () => {
    const { lane } = scene.newLane()
    const epoch = scene.now - MINUTE
    await scene.table.put(laneItem.encode({ lane, epoch, ...dueFor(lane, scene.now + 40 * 60 * MINUTE) }))
    expect(await countedAt(scene.now)).toMatchObject({ OutboxWaiting: 1, OutboxWaitingAge: MINUTE })
  })

  test('is not measured when the lanes were delivered', async () => {
    scene.respond = () => failing('connect')
    await scene.sendTo(newOrigin(), 3)
    await scene.handleAll()
    scene.respond = () => answered(200)
    await scene.pass(2 * CENSUS)
    scene.now = Math.ceil(scene.now / CENSUS) * CENSUS
    expect(await countedAt(scene.now)).toBeUndefined()
  })
})
