/** An item at which this code fails again and again is set aside, and the next items are sent; errors of AWS set nothing aside. */
import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { addInternalError } from '../../../lib/outbox/lanes/internal-errors.ts'
import { outcomeItem } from '../../../lib/outbox/messages/message-item.ts'
import { redriveMessages } from '../../../lib/outbox/redrive.ts'
import { seeded } from '../../simulation/seeded.ts'
import { failure } from '../store/started-table.ts'
import { answered, newOrigin, useOutboxScene } from './scene.ts'

const lines: string[] = []
process.env.LOG_LEVEL = 'debug'
vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
const scene = await useOutboxScene()
beforeEach(() => {
  lines.length = 0
})

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const setAside = () => lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'outbox.item_set_aside')
const failed = async () => (await scene.table.items()).filter(outcomeItem.is).map((item) => outcomeItem.decode(item))

describe('a message at which this code throws', () => {
  const poison = async () => {
    const to = scene.newLane()
    const origin = newOrigin()
    scene.respond = ({ payload }) => {
      if (payload === 'poison') throw new TypeError('an internal error')
      return answered(200)
    }
    await scene.send(to, 'poison', { origin })
    await scene.send(to, 'behind', { origin })
    return to
  }

  test('is tried ten times with growing pauses, and then set aside; the next one is sent', async () => {
    const { lane, tenant } = await poison()
    await scene.handleAll()
    const { epoch } = (await scene.lane(lane)) ?? {}
    for (let failures = 2; failures <= 10; failures++) {
      scene.now = (await scene.lane(lane))?.dueAt ?? 0
      await scene.deliver({ lane, reason: { kind: 'due', at: scene.now } })
      expect(await scene.lane(lane)).toMatchObject({ failures, epoch, faults: { errors: failures, ends: 0 } })
      expect(scene.attempts).toHaveLength(failures)
    }
    expect(setAside()).toEqual([])
    await scene.pass(10 * MINUTE)
    expect(scene.attempts).toHaveLength(11)
    expect(scene.accepted).toEqual(['behind'])
    expect(await scene.left()).toEqual([])
    expect(setAside()).toMatchObject([{ tenant, level: 'error', WorkGivenUp: 1 }])
    expect(await failed()).toMatchObject([{ messages: [{ payload: 'poison' }] }])
  })

  test('is put back by a redrive, and delivered after the code was fixed', async () => {
    const { lane } = await poison()
    await scene.pass(HOUR)
    expect(scene.accepted).toEqual(['behind'])
    scene.respond = () => answered(200)
    expect(await redriveMessages(new Date(0).toISOString(), scene.now)).toBe(1)
    await scene.committed(lane)
    expect(scene.accepted).toEqual(['behind', 'poison'])
    expect(await scene.left()).toEqual([])
  })

  test('counts only successive errors: a finished attempt resets the count', async () => {
    const { lane } = await poison()
    const throws = scene.respond
    for (let round = 1; round <= 25; round++) {
      scene.respond = round % 9 === 0 ? () => answered(500) : throws
      if (round > 1) scene.now = (await scene.lane(lane))?.dueAt ?? 0
      await scene.deliver({ lane, reason: round === 1 ? { kind: 'committed' } : { kind: 'due', at: scene.now } })
    }
    expect(setAside()).toEqual([])
    expect(scene.accepted).toEqual([])
    expect((await scene.lane(lane))?.faults).toMatchObject({ errors: 7 })
  })
})

test.each([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'InternalServerError',
  'TimeoutError',
  'TransactionConflictException',
  'AccessDeniedException',
])('%s of AWS sets nothing aside, however long it lasts', async (name) => {
  const to = scene.newLane()
  await scene.send(to, 'one', { origin: newOrigin() })
  scene.respond = () => {
    throw failure(name)
  }
  for (let round = 0; round < 60; round++) {
    scene.waiting.length = 0
    await scene.deliver({ lane: to.lane, reason: { kind: round === 0 ? 'committed' : 'due', at: scene.now } })
    scene.now = (await scene.lane(to.lane))?.dueAt ?? 0
  }
  expect(await scene.lane(to.lane)).not.toHaveProperty('faults')
  scene.respond = () => answered(200)
  await scene.pass(10 * MINUTE)
  expect(scene.accepted).toEqual(['one'])
  expect(setAside()).toEqual([])
})

test('the largest stored message leaves room for its outcome with its contents, and the next one is sent', async () => {
  // Random bytes, which hardly compress.
  const chance = seeded(1)
  const text = (size: number) => Array.from({ length: size }, () => String.fromCharCode(35 + chance() * 57)).join('')
  const largest = text(400 * 1024 - 100)
  const to = scene.newLane()
  const origin = newOrigin()
  scene.respond = ({ payload }) => answered(payload === largest ? 500 : 200)
  await expect(scene.commit(to, `${largest}${text(100)}`, { origin })).rejects.toThrow('larger than 400 KB')
  await scene.commit(to, largest, { origin })
  await scene.send(to, 'behind', { origin })
  // Each attempt reads it.
  scene.now += 23 * HOUR
  await scene.pass(2 * HOUR)
  expect(scene.accepted).toEqual(['behind'])
  expect(await scene.left()).toEqual([])
  expect((await failed()).some(({ messages }) => messages[0]?.payload === largest)).toBe(true)
  expect(setAside()).toEqual([])
})

test('the errors of one item do not count for another one', () => {
  const known = { item: 'a', errors: 9, ends: 9, since: 1 }
  expect(addInternalError(known, 'b', 'errors', 7)).toEqual({ item: 'b', errors: 1, ends: 0, since: 7 })
  expect(addInternalError(known, 'b', 'ends', 7)).toEqual({ item: 'b', errors: 0, ends: 0, since: 7 })
  expect(addInternalError(known, 'a', 'ends', 7)).toEqual({ ...known, ends: 10 })
  expect(addInternalError(known, 'a', undefined, 7)).toEqual(known)
})

describe('a message whose process dies while it is tried', () => {
  /** An invocation dies while it tries the first message; its wake-up is repeated `later` (ms). */
  const end = async (lane: string, later: number) => {
    const { respond } = scene
    const before = scene.attempts.length
    let isOver = false
    scene.respond = () => new Promise(() => undefined)
    void scene.committed(lane).then(() => {
      isOver = true
    })
    while (scene.attempts.length === before && !isOver) await setImmediate()
    scene.respond = respond
    scene.now += later
  }
  const two = async () => {
    const to = scene.newLane()
    const origin = newOrigin()
    await scene.commit(to, 'one', { origin })
    await scene.commit(to, 'two', { origin })
    return to
  }

  test('is set aside after ten deaths that it may have caused, spread over an hour', async () => {
    const { lane } = await two()
    // Only the second lease detects the first death, and records the item that it tries.
    for (let ends = 0; ends < 11; ends++) await end(lane, 6 * MINUTE)
    expect((await scene.lane(lane))?.faults).toMatchObject({ errors: 0, ends: 9 })
    expect(setAside()).toEqual([])
    await scene.committed(lane)
    expect(setAside()).toHaveLength(1)
    expect(scene.accepted).toEqual(['two'])
    expect(scene.attempts.filter(({ payload }) => payload === 'one')).toHaveLength(11)
    expect(await scene.left()).toEqual([])
  })

  test('is not set aside after fewer, or after any number within an hour', async () => {
    const { lane } = await two()
    for (let ends = 0; ends < 40; ends++) await end(lane, MINUTE)
    expect(setAside()).toEqual([])
    const other = await two()
    for (let ends = 0; ends < 10; ends++) await end(other.lane, HOUR)
    expect(setAside()).toEqual([])
    await scene.committed(other.lane)
    expect(scene.accepted).toEqual(['one', 'two'])
  })

  test('resets the count at another item, or after a finished attempt', async () => {
    const { lane } = await two()
    for (let ends = 0; ends < 10; ends++) await end(lane, 20 * MINUTE)
    await scene.committed(lane)
    expect(scene.accepted).toEqual(['one', 'two'])
    expect(await scene.lane(lane)).toBeUndefined()
    const other = await two()
    for (let ends = 0; ends < 10; ends++) await end(other.lane, 20 * MINUTE)
    scene.respond = () => answered(500)
    await scene.committed(other.lane)
    expect(await scene.lane(other.lane)).not.toHaveProperty('faults')
    expect(await scene.lane(other.lane)).not.toHaveProperty('leases')
    expect(setAside()).toEqual([])
  })
})
