/** An item at which our own code fails again and again is set aside, and what is behind it goes out; faults of AWS set nothing aside. */
import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { addFault } from '../../../lib/outbox/lanes/own-faults.ts'
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

describe('a message at which our own code throws', () => {
  const poison = async () => {
    const to = scene.newLane()
    const origin = newOrigin()
    scene.respond = ({ payload }) => {
      if (payload === 'poison') throw new TypeError('a fault of our own')
      return answered(200)
    }
    await scene.send(to, 'poison', { origin })
    await scene.send(to, 'behind', { origin })
    return to
  }

  test('is tried ten times, more and more rarely, and set aside then; what is behind it goes out', async () => {
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
    expect(scene.taken).toEqual(['behind'])
    expect(await scene.left()).toEqual([])
    expect(setAside()).toMatchObject([{ tenant, level: 'error', WorkGivenUp: 1 }])
    expect(await failed()).toMatchObject([{ messages: [{ payload: 'poison' }] }])
  })

  test('comes back with a redrive, and is delivered where the code was mended', async () => {
    const { lane } = await poison()
    await scene.pass(HOUR)
    expect(scene.taken).toEqual(['behind'])
    scene.respond = () => answered(200)
    expect(await redriveMessages(new Date(0).toISOString(), scene.now)).toBe(1)
    await scene.committed(lane)
    expect(scene.taken).toEqual(['behind', 'poison'])
    expect(await scene.left()).toEqual([])
  })

  test('counts only what comes in a row: an attempt that ends as it should begins anew', async () => {
    const { lane } = await poison()
    const throws = scene.respond
    for (let round = 1; round <= 25; round++) {
      scene.respond = round % 9 === 0 ? () => answered(500) : throws
      if (round > 1) scene.now = (await scene.lane(lane))?.dueAt ?? 0
      await scene.deliver({ lane, reason: round === 1 ? { kind: 'committed' } : { kind: 'due', at: scene.now } })
    }
    expect(setAside()).toEqual([])
    expect(scene.taken).toEqual([])
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
  expect(scene.taken).toEqual(['one'])
  expect(setAside()).toEqual([])
})

test('the largest message that is stored leaves room for its outcome, with its contents, and what is behind it goes out', async () => {
  // A text of bytes that hardly become fewer.
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
  expect(scene.taken).toEqual(['behind'])
  expect(await scene.left()).toEqual([])
  expect((await failed()).some(({ messages }) => messages[0]?.payload === largest)).toBe(true)
  expect(setAside()).toEqual([])
})

test('what is known of one item counts against no other', () => {
  const known = { item: 'a', errors: 9, ends: 9, since: 1 }
  expect(addFault(known, 'b', 'errors', 7)).toEqual({ item: 'b', errors: 1, ends: 0, since: 7 })
  expect(addFault(known, 'b', 'ends', 7)).toEqual({ item: 'b', errors: 0, ends: 0, since: 7 })
  expect(addFault(known, 'a', 'ends', 7)).toEqual({ ...known, ends: 10 })
  expect(addFault(known, 'a', undefined, 7)).toEqual(known)
})

describe('a message whose process ends while it is tried', () => {
  /** An invocation tries the first message and is never heard of again; its wake-up comes again, `later` (ms). */
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

  test('is set aside after ten ends that are known to be of it, over an hour', async () => {
    const { lane } = await two()
    // The first end is known by the second lease only, which writes down what it tries.
    for (let ends = 0; ends < 11; ends++) await end(lane, 6 * MINUTE)
    expect((await scene.lane(lane))?.faults).toMatchObject({ errors: 0, ends: 9 })
    expect(setAside()).toEqual([])
    await scene.committed(lane)
    expect(setAside()).toHaveLength(1)
    expect(scene.taken).toEqual(['two'])
    expect(scene.attempts.filter(({ payload }) => payload === 'one')).toHaveLength(11)
    expect(await scene.left()).toEqual([])
  })

  test('is not set aside for fewer, or for any number within an hour', async () => {
    const { lane } = await two()
    for (let ends = 0; ends < 40; ends++) await end(lane, MINUTE)
    expect(setAside()).toEqual([])
    const other = await two()
    for (let ends = 0; ends < 10; ends++) await end(other.lane, HOUR)
    expect(setAside()).toEqual([])
    await scene.committed(other.lane)
    expect(scene.taken).toEqual(['one', 'two'])
  })

  test('begins anew where it is another one, or an attempt has ended as it should', async () => {
    const { lane } = await two()
    for (let ends = 0; ends < 10; ends++) await end(lane, 20 * MINUTE)
    await scene.committed(lane)
    expect(scene.taken).toEqual(['one', 'two'])
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
