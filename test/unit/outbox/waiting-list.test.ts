/** Lanes that wait for a destination: no lane is lost by concurrent or repeated joins, releases and probes. */
import { describe, expect, test } from 'vitest'
import { destinationItem, LEAVE_INDEX } from '../../../lib/outbox/destinations/destination.ts'
import {
  changeDestination,
  ensureDue,
  readDestination,
  reportToDestination,
} from '../../../lib/outbox/destinations/destination-access.ts'
import { onDestinationDue } from '../../../lib/outbox/destinations/destination-due.ts'
import {
  entriesOfRandomShard,
  entryWrite,
  newEntry,
  someEntries,
} from '../../../lib/outbox/destinations/waiting-list.ts'
import { sweep } from '../../../lib/outbox/sweep.ts'
import { eventLane, messageLane } from '../../../lib/outbox/wake-ups/keys.ts'
import { failure } from '../store/started-table.ts'
import { answered, failing, newOrigin, type SentWakeUp, useOutboxScene } from './scene.ts'

const scene = await useOutboxScene()

const leaveIndex = async (origin: string) =>
  changeDestination(await readDestination(origin, scene.now), LEAVE_INDEX, scene.now)

const SECOND = 1_000
const MINUTE = 60 * SECOND

describe('the waiting list', () => {
  /** A closed destination with one lane in its list. */
  const closedWithLane = async () => {
    const origin = newOrigin()
    scene.respond = () => failing('connect')
    const [to = scene.newLane()] = await scene.sendTo(origin, 1)
    await scene.handleAll()
    return { origin, to }
  }
  const dueOf = async (origin: string) => (await scene.destination(origin))?.dueAt ?? 0
  test('returns at most `limit` entries of a random shard and the next ones', async () => {
    const destination = newOrigin()
    const entries = Array.from({ length: 40 }, (_, index) => {
      const lane = `acme|ConnectionRecord|${index}`
      return entryWrite(destination, { lane, entry: newEntry(lane, scene.now, String(index)), now: scene.now }).put
    })
    await scene.table.putAll(entries)
    for (let room = 1; room <= 40; room++) expect(await entriesOfRandomShard(destination, room, 0.5)).toHaveLength(room)
  })

  test('returns the same number of entries of each of 16 shards, or begins with a random one', async () => {
    const destination = newOrigin()
    const all = ['0|1|a', '0|1|b', '0|1|c', '15|1|d', '15|1|e']
    const lane = messageLane('acme', 'alice')
    await scene.table.putAll(all.map((entry) => entryWrite(destination, { lane, entry, now: scene.now }).put))
    const names = (entries: { entry: string }[]) => entries.map(({ entry }) => entry)
    expect(names(await someEntries(destination, 1))).toEqual(['0|1|a', '15|1|d'])
    expect(names(await someEntries(destination, 17))).toEqual(['0|1|a', '0|1|b', '15|1|d', '15|1|e'])
    expect(names(await entriesOfRandomShard(destination, 1, 0))).toEqual(['0|1|a'])
    expect(names(await entriesOfRandomShard(destination, 1, 0.99))).toEqual(['15|1|d'])
  })

  test.each([messageLane('acme', 'alice'), eventLane('acme', 'endpoint', 'proof')])(
    'makes the lane of an unreadable entry due: %s',
    async (lane) => {
      const destination = newOrigin()
      const { put } = entryWrite(destination, { lane, entry: newEntry(lane, scene.now, 'a'), now: scene.now })
      await scene.table.put({ ...put, since: { S: 'ever' } })
      expect(await entriesOfRandomShard(destination, 1, 0)).toEqual([])
      expect(await scene.lane(lane)).toHaveProperty('dueAt')
    },
  )

  test.each([
    ['before', ''],
    ['after', ''],
    ['before', ', by a write whose response is lost'],
  ])('loses no lane that joins %s the destination leaves the index with an empty list%s', async (when, lost) => {
    const origin = newOrigin()
    await ensureDue(origin, scene.now)
    scene.waiting.length = 0
    scene.now = await dueOf(origin)
    const joining = scene.newLane()
    await scene.commit(joining, 'joins', { origin })
    const join = async () => {
      scene.table.way = undefined
      // The lane's process has read the destination as closed.
      const read = await readDestination(origin, scene.now)
      const closed = await changeDestination(read, { set: { closedAt: scene.now } }, scene.now)
      await scene.committed(joining.lane)
      expect((await scene.lane(joining.lane))?.waitsFor).toBe(origin)
      if (closed === undefined) throw new Error('not closed')
      // The version is unchanged, so that the process that found the list empty continues.
      const now = await readDestination(origin, scene.now)
      await scene.table.put(destinationItem.encode({ ...now, version: read.version, closedAt: undefined }))
      if (lost !== '') scene.table.way = loseSecondUpdate
    }
    let updates = 0
    const loseSecondUpdate: typeof scene.table.way = async (command, send) => {
      await send()
      // The SDK repeats the request after the destination has changed.
      if (command === 'UpdateItem' && ++updates === 2) throw failure('TimeoutError')
    }
    const counts: Record<string, number> = {}
    scene.table.way = async (command, send) => {
      await send()
      counts[command] = (counts[command] ?? 0) + 1
      // All 16 shards are read; or the destination has left the index, with the second write.
      if (when === 'before' ? counts.Query === 16 : counts.UpdateItem === 2) await join()
    }
    await onDestinationDue({ destination: origin, at: scene.now }, scene.now)
    scene.table.way = undefined
    await scene.pass(5 * MINUTE)
    expect(scene.accepted).toEqual(['joins'])
    expect(await scene.left()).toEqual([])
  })

  test('loses no lane that joins after another process has found the list empty, and left the index', async () => {
    const { origin } = await closedWithLane()
    scene.waiting.length = 0
    const joining = scene.newLane()
    await scene.commit(joining, 'joins', { origin })
    scene.table.way = async (command, send) => {
      // The lane's process has read that the destination is in the index, and is about to add the lane.
      if (command === 'TransactWriteItems') {
        scene.table.way = undefined
        await leaveIndex(origin)
      }
      await send()
    }
    await scene.committed(joining.lane)
    expect(await scene.destination(origin)).toHaveProperty('dueAt')
    scene.respond = () => answered(200)
    await scene.pass(MINUTE)
    expect(scene.accepted).toContain('joins')
    expect(await scene.left()).toEqual([])
  })

  test('loses no lane if the process dies between adding it and checking the destination again', async () => {
    const { origin, to } = await closedWithLane()
    // Another process has found the list empty just before, and died before it read the list again.
    await leaveIndex(origin)
    scene.waiting.length = 0
    expect(await scene.destination(origin)).not.toHaveProperty('dueAt')
    scene.respond = () => answered(200)
    // The wake-up of the dead process is repeated after its visibility timeout.
    scene.now += 180 * SECOND
    await scene.committed(to.lane)
    await scene.pass(MINUTE)
    expect(scene.accepted).toHaveLength(1)
    expect(await scene.left()).toEqual([])
  })

  test('is read again if the process died after the destination had left the index', async () => {
    const { origin } = await closedWithLane()
    const at = await dueOf(origin)
    await leaveIndex(origin)
    scene.waiting.length = 0
    scene.respond = () => answered(200)
    await onDestinationDue({ destination: origin, at }, scene.now)
    await scene.pass(MINUTE)
    expect(scene.accepted).toHaveLength(1)
  })

  test('is probed once if the wake-up is repeated, immediately or later', async () => {
    const { origin } = await closedWithLane()
    scene.waiting.length = 0
    const at = await dueOf(origin)
    scene.now = at
    const twice = () => onDestinationDue({ destination: origin, at }, scene.now)
    await Promise.all([twice(), twice()])
    await twice()
    expect(scene.waiting.filter(({ queue }) => queue === 'fast')).toHaveLength(1)
    const before = scene.attempts.length
    const [probe] = scene.waiting
    if (probe === undefined) throw new Error('no probe')
    await Promise.all([scene.handle(probe), scene.handle(probe)])
    await scene.handle(probe)
    expect(scene.attempts.length - before).toBe(1)
  })

  test('delivers each message once, if every wake-up arrives twice and late', async () => {
    const origin = newOrigin()
    scene.respond = () => failing('connect')
    const lanes = await scene.sendTo(origin, 20)
    for (const to of lanes) await scene.send(to, `${to.lane} 2`, { origin })
    await scene.handleAll()
    scene.respond = () => answered(200)
    const handled: typeof scene.sent = []
    for (let step = 0; step < 400 && (await scene.left()).length > 0; step++) {
      if (scene.waiting.length === 0 || step % 5 === 4) {
        scene.now += 30 * SECOND
        await sweep(scene.now)
      }
      const some = scene.waiting.splice(0, 7)
      // Together, in the wrong order, and with some that were handled long ago.
      const old = handled.filter((_, index) => index % 7 === step % 7).slice(-3)
      await Promise.all([...some, ...some, ...old].reverse().map((one) => scene.handle(one)))
      handled.push(...some)
    }
    expect(scene.accepted).toHaveLength(40)
    expect(new Set(scene.accepted).size).toBe(40)
    for (const { lane } of lanes) expect(scene.accepted.indexOf(lane)).toBeLessThan(scene.accepted.indexOf(`${lane} 2`))
    expect(await scene.left()).toEqual([])
  })

  test('releases no more lanes while the queue has not delivered the last release, for a minute at most', async () => {
    const origin = newOrigin()
    scene.respond = () => failing('connect')
    await scene.sendTo(origin, 100)
    await scene.handleAll()
    scene.respond = () => answered(200)
    scene.now += 3 * SECOND
    const isRelease = ({ wakeUp }: SentWakeUp) => 'lane' in wakeUp && wakeUp.reason.kind === 'released'
    const released = () => scene.sent.filter(isRelease).length
    // The consumers of the slow queue are busy with other lanes.
    const handleOthers = async () => {
      const isNext = (one: SentWakeUp) => !isRelease(one) && one.at + one.delaySeconds * SECOND <= scene.now
      for (let next = scene.waiting.find(isNext); next !== undefined; next = scene.waiting.find(isNext)) {
        scene.waiting.splice(scene.waiting.indexOf(next), 1)
        await scene.handle(next)
      }
    }
    while (released() === 0) await handleOthers()
    const first = released()
    for (let second = 0; second < 50; second++) {
      scene.now += SECOND
      await handleOthers()
    }
    expect(released()).toBe(first)
    await scene.handleAll()
    scene.now += SECOND
    await scene.handleAll()
    const second = released()
    expect(second).toBeGreaterThan(first)
    scene.waiting = scene.waiting.filter(({ queue }) => queue !== 'slow')
    scene.now += 61 * SECOND
    await handleOthers()
    expect(released()).toBeGreaterThan(second)
    await scene.pass(10 * MINUTE)
  })

  test('keeps the entries of lanes whose release the queue has rejected', async () => {
    const origin = newOrigin()
    scene.respond = () => failing('connect')
    await scene.sendTo(origin, 3)
    await scene.handleAll()
    await reportToDestination(origin, { kind: 'reached', lane: 'another' }, scene.now)
    scene.respond = () => answered(200)
    const [release] = scene.waiting.filter(({ wakeUp }) => 'destination' in wakeUp && wakeUp.at === scene.now)
    scene.sqsFails = true
    if (release !== undefined) await scene.handle(release)
    expect((await scene.left()).filter((kind) => kind === 'waiting-lane')).toHaveLength(3)
    scene.sqsFails = false
    await scene.pass(2 * MINUTE)
    expect(scene.accepted).toHaveLength(3)
    expect(await scene.left()).toEqual([])
  })

  test('tries again if the queue has rejected the wake-ups', async () => {
    const { origin } = await closedWithLane()
    scene.respond = () => answered(200)
    scene.now = await dueOf(origin)
    scene.sqsFails = true
    await scene.handleAll()
    scene.sqsFails = false
    scene.waiting.length = 0
    await scene.pass(2 * MINUTE)
    expect(scene.accepted).toHaveLength(1)
    expect(await scene.left()).toEqual([])
  })
})
