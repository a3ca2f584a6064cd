/** Deliveries of a lane: its items are delivered in order, retried, given up, with few requests. */
import { describe, expect, test } from 'vitest'
import { answered, failing, type OutboxScene, slowly, useOutboxScene } from './scene.ts'

const scene = await useOutboxScene()

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const ORIGIN = 'https://wallet.example'

/** Each test has its own destination, because the process caches destinations for some seconds. */
let made = 0
const newOrigin = () => `https://wallet-${made++}.example`

describe('the happy path', () => {
  test('costs three requests: lease, read, outcome with the removal of the lane', async () => {
    const origin = newOrigin()
    await scene.send(scene.newLane(), 'first', { origin })
    await scene.handleAll()
    await scene.send(scene.newLane(), 'second', { origin })
    scene.table.watch()
    await scene.handleAll()
    expect(scene.accepted).toEqual(['first', 'second'])
    expect(scene.table.requests).toEqual(['UpdateItem', 'Query', 'TransactWriteItems'])
    expect(await scene.left()).toEqual([])
  })

  test('writes nothing about a destination', async () => {
    const origin = newOrigin()
    await scene.send(scene.newLane(), 'one', { origin })
    const before = await scene.destination(origin)
    await scene.handleAll()
    expect(await scene.destination(origin)).toEqual(before)
  })
})

describe('the order of a lane', () => {
  test('is that of the ids, for any order of the wake-ups', async () => {
    const to = scene.newLane()
    for (const payload of ['one', 'two', 'three']) await scene.send(to, payload)
    scene.waiting.reverse()
    await scene.handleAll()
    expect(scene.accepted).toEqual(['one', 'two', 'three'])
  })

  test('starts from the first item with each delivery, so that a later commit with a smaller id is not skipped', async () => {
    const to = scene.newLane()
    await scene.send(to, 'second', { id: '0199-b' })
    await scene.handleAll()
    await scene.send(to, 'late', { id: '0199-a' })
    await scene.handleAll()
    expect(scene.accepted).toEqual(['second', 'late'])
  })

  test('is kept while the first message fails: the others wait', async () => {
    const to = scene.newLane()
    scene.respond = ({ payload }) => answered(payload === 'one' ? 500 : 200)
    await scene.send(to, 'one')
    await scene.send(to, 'two')
    await scene.pass(30 * SECOND)
    expect(scene.accepted).toEqual([])
    scene.respond = () => answered(200)
    await scene.pass(10 * 60 * SECOND)
    expect(scene.accepted).toEqual(['one', 'two'])
  })

  test('of more messages than in one read is kept across reads and deliveries', async () => {
    const to = scene.newLane()
    const payloads = Array.from({ length: 60 }, (_, index) => String(index))
    for (const payload of payloads) await scene.commit(to, payload)
    await scene.committed(to.lane)
    await scene.handleAll()
    expect(scene.accepted).toEqual(payloads)
    expect(await scene.left()).toEqual([])
  })
})

describe('an item that is committed while the lane is leased', () => {
  test.each([1, 2])('is delivered by the holder, during message %i of two, even with a smaller id', async (when) => {
    const to = scene.newLane()
    await scene.commit(to, 'one', { id: '0199-b' })
    await scene.commit(to, 'two', { id: '0199-c' })
    scene.respond = async () => {
      if (scene.attempts.length === when) {
        await scene.commit(to, 'late', { id: '0199-a' })
        // From another queue: one FIFO queue alone would not deliver it.
        await scene.committed(to.lane, 'slow')
      }
      return answered(200)
    }
    await scene.committed(to.lane)
    expect(scene.accepted).toEqual(['one', 'two', 'late'])
    expect(await scene.left()).toEqual([])
  })
})

describe('a failed attempt', () => {
  test('is repeated after the backoff, by a delayed message or, after more than a minute, by the sweep', async () => {
    const to = scene.newLane()
    scene.random = 0.999
    scene.respond = () => answered(500)
    await scene.send(to, 'one', { origin: newOrigin() })
    const times: number[] = []
    const start = scene.now
    scene.respond = () => {
      times.push(Math.round((scene.now - start) / SECOND))
      return answered(500)
    }
    await scene.pass(500 * SECOND)
    const gaps = times.map((time, index) => time - (times[index - 1] ?? 0))
    expect(gaps.slice(0, 7)).toEqual([0, 1, 2, 4, 8, 16, 32])
    // 64 s, and up to a minute until the next sweep.
    expect(gaps[7]).toBeGreaterThanOrEqual(64)
    expect(gaps[7]).toBeLessThanOrEqual(124)
    expect(scene.sent.filter(({ delaySeconds }) => delaySeconds > 60)).toEqual([])
  })

  test('is repeated at the time that the receiver requests, not before', async () => {
    const to = scene.newLane()
    const start = scene.now
    const times: number[] = []
    scene.respond = () => {
      times.push(scene.now - start)
      return times.length < 2 ? answered(429, { 'retry-after': '2' }) : answered(200)
    }
    await scene.send(to, 'one', { origin: newOrigin() })
    await scene.pass(1.9 * SECOND)
    expect(times).toEqual([0])
    await scene.pass(SECOND)
    expect(times).toHaveLength(2)
    expect(scene.accepted).toEqual(['one'])
  })

  test('is not repeated earlier because of another commit', async () => {
    const to = scene.newLane()
    scene.random = 0.999
    scene.respond = () => answered(500)
    await scene.send(to, 'one', { origin: newOrigin() })
    await scene.pass(4 * SECOND)
    const attempts = scene.attempts.length
    await scene.send(to, 'two', { origin: newOrigin() })
    await scene.handleAll()
    expect(scene.attempts).toHaveLength(attempts)
  })

  test('that then succeeds does not affect the backoff of the next message', async () => {
    const to = scene.newLane()
    const origin = newOrigin()
    scene.respond = ({ payload }) => answered(payload === 'one' && scene.attempts.length < 6 ? 500 : 200)
    await scene.send(to, 'one', { origin })
    await scene.pass(60 * SECOND)
    expect(scene.accepted).toEqual(['one'])
    scene.respond = () => answered(500)
    await scene.send(to, 'two', { origin })
    await scene.handleAll()
    expect((await scene.lane(to.lane))?.failures).toBe(1)
  })
})

describe('giving up', () => {
  test('follows the attempt at the end of the plan, and then the next message is sent', async () => {
    const to = scene.newLane()
    const origin = newOrigin()
    scene.respond = ({ payload }) => answered(payload === 'one' ? 404 : 200)
    await scene.send(to, 'one', { origin, createdAt: scene.now - 23.5 * HOUR })
    await scene.send(to, 'two', { origin })
    const start = scene.now
    await scene.pass(HOUR / 2 - SECOND)
    expect(await scene.givenUp()).toBe(0)
    let last = 0
    scene.respond = ({ payload }) => {
      if (payload === 'one') last = scene.now
      return answered(payload === 'one' ? 404 : 200)
    }
    await scene.pass(2 * 60 * SECOND)
    expect(last - start).toBeGreaterThanOrEqual(HOUR / 2)
    expect(await scene.givenUp()).toBe(1)
    expect(scene.accepted).toEqual(['two'])
    expect(await scene.left()).toEqual([])
  })

  test('items that wait for a closed destination needs no attempt', async () => {
    const origin = newOrigin()
    scene.respond = () => failing('connect')
    const lanes = [scene.newLane(), scene.newLane(), scene.newLane()]
    for (const to of lanes) await scene.send(to, 'x', { origin, createdAt: scene.now - 23.5 * HOUR })
    await scene.pass(HOUR / 2 - 60 * SECOND)
    expect(await scene.givenUp()).toBe(0)
    await scene.pass(10 * 60 * SECOND)
    expect(await scene.givenUp()).toBe(3)
    await scene.pass(10 * 60 * SECOND)
    expect(await scene.left()).toEqual([])
  })

  test('the only item costs three requests: lease, read, outcome with the removal of the lane', async () => {
    const origin = newOrigin()
    await scene.send(scene.newLane(), 'in time', { origin })
    await scene.handleAll()
    scene.respond = () => answered(404)
    await scene.send(scene.newLane(), 'late', { origin, createdAt: scene.now - 24 * HOUR })
    scene.table.watch()
    await scene.handleAll()
    expect(scene.table.requests).toEqual(['UpdateItem', 'Query', 'TransactWriteItems'])
    expect(await scene.givenUp()).toBe(1)
    expect(await scene.left()).toEqual([])
  })

  test('several messages of one item is one outcome, and then the next item is sent', async () => {
    const to = scene.newLane()
    const origin = newOrigin()
    scene.respond = () => answered(404)
    await scene.send(to, ['one', 'two'], { origin, createdAt: scene.now - 24 * HOUR })
    await scene.handleAll()
    expect(scene.attempts.map(({ payload }) => payload)).toEqual(['one'])
    expect(await scene.givenUp()).toBe(1)
    expect(await scene.left()).toEqual([])
  })

  test('never precedes the first attempt if the destination is open, however late that is', async () => {
    const to = scene.newLane()
    await scene.send(to, 'late', { origin: newOrigin(), createdAt: scene.now - 48 * HOUR })
    await scene.handleAll()
    expect(scene.accepted).toEqual(['late'])
  })
})

describe('a long lane', () => {
  test('ends its delivery after 25 messages and is woken again, with one more hop', async () => {
    const to = scene.newLane()
    for (let index = 0; index < 30; index++) await scene.commit(to, String(index))
    await scene.committed(to.lane)
    expect(scene.accepted).toHaveLength(25)
    const [next] = scene.waiting
    expect(next).toMatchObject({ queue: 'fast', wakeUp: { lane: to.lane, reason: { kind: 'due' }, hops: 1 } })
    await scene.handleAll()
    expect(scene.accepted).toHaveLength(30)
  })

  test('ends its delivery after 10 s', async () => {
    const to = scene.newLane()
    for (let index = 0; index < 5; index++) await scene.commit(to, String(index))
    scene.respond = () => {
      scene.now += 6 * SECOND
      return answered(200)
    }
    await scene.committed(to.lane)
    expect(scene.accepted).toHaveLength(2)
  })

  test('is woken by the sweep after 12 hops, and loses nothing', async () => {
    const to = scene.newLane()
    for (let index = 0; index < 60; index++) await scene.commit(to, String(index))
    await scene.committed(to.lane)
    const [next] = scene.waiting.splice(0)
    const wakeUp = { ...next?.wakeUp, hops: 12 } as Parameters<OutboxScene['deliver']>[0]
    await scene.deliver(wakeUp)
    expect(scene.waiting).toEqual([])
    expect(scene.accepted).toHaveLength(50)
    await scene.pass(61 * SECOND)
    expect(scene.accepted).toHaveLength(60)
    expect(await scene.left()).toEqual([])
  })
})

describe('an unknown destination', () => {
  const first = { unknown: true }

  test('has its first attempts in the slow queue, and is known to be quick after a quick response', async () => {
    const origin = newOrigin()
    await scene.send(scene.newLane(), 'first', { origin, ...first })
    await scene.handleNext()
    expect(scene.accepted).toEqual([])
    expect(scene.waiting).toMatchObject([{ queue: 'slow', wakeUp: { reason: { kind: 'released' } } }])
    await scene.handleAll()
    expect(scene.accepted).toEqual(['first'])
    await scene.send(scene.newLane(), 'second', { origin, ...first })
    await scene.handleNext()
    expect(scene.accepted).toEqual(['first', 'second'])
    expect(await scene.left()).toEqual([])
  })

  test('gets messages that are committed during its first attempt', async () => {
    const to = scene.newLane()
    const origin = newOrigin()
    scene.respond = async ({ payload }) => {
      if (payload === 'first') {
        await scene.send(to, 'second', { origin, ...first })
        await scene.deliver({ lane: to.lane, reason: { kind: 'committed' } })
        scene.waiting.length = 0
      }
      return answered(200)
    }
    await scene.send(to, 'first', { origin, ...first })
    await scene.handleAll()
    expect(scene.accepted).toEqual(['first', 'second'])
    expect(await scene.left()).toEqual([])
  })

  test('is tried when its wake-up is received again, if the process died before it sent the lane to the slow queue', async () => {
    const to = scene.newLane()
    await scene.send(to, 'first', { origin: newOrigin(), ...first })
    await scene.handleNext()
    scene.waiting.length = 0
    scene.now += 6 * 60 * SECOND
    const wakeUp = { lane: to.lane, reason: { kind: 'committed' } } as const
    await scene.deliver(wakeUp)
    expect(scene.waiting).toEqual([])
    await scene.deliver(wakeUp, 'fast', true)
    await scene.handleAll()
    expect(scene.accepted).toEqual(['first'])
    expect(await scene.left()).toEqual([])
  })

  test('is tried within minutes by its repeated wake-up, if the slow queue rejected the lane', async () => {
    const to = scene.newLane()
    await scene.send(to, 'first', { origin: newOrigin(), ...first })
    const [one] = scene.waiting.splice(0)
    scene.sqsFails = true
    if (one !== undefined) await expect(scene.handle(one)).rejects.toMatchObject({ code: 'store.unavailable' })
    scene.sqsFails = false
    if (one !== undefined) await scene.handle({ ...one, repeated: true })
    await scene.handleAll()
    expect(scene.accepted).toEqual(['first'])
    expect(await scene.left()).toEqual([])
  })

  test('is known to be quick for a month, and written again only in the second half', async () => {
    const origin = newOrigin()
    const DAY = 24 * HOUR
    const send = async () => {
      await scene.send(scene.newLane(), 'x', { origin, ...first })
      await scene.handleAll()
      return scene.destination(origin)
    }
    const noted = await send()
    expect(noted?.expiresAt).toBe(Math.floor((scene.now + 30 * DAY) / 1000))
    scene.now += 14 * DAY
    expect(await send()).toEqual(noted)
    scene.now += 2 * DAY
    expect((await send())?.quickUntil).toBe(scene.now + 30 * DAY)
  })

  test('stays unknown while its responses are late', async () => {
    const origin = newOrigin()
    scene.respond = () => slowly(5_000)
    await scene.send(scene.newLane(), 'late', { origin, ...first })
    await scene.handleAll()
    scene.now += 11 * 60 * SECOND
    scene.respond = () => answered(200)
    await scene.send(scene.newLane(), 'again', { origin, ...first })
    await scene.handleNext()
    expect(scene.accepted).toEqual(['late'])
    expect(scene.waiting).toMatchObject([{ queue: 'slow' }])
  })
})

describe('a slow destination', () => {
  test('is known as slow before the first late attempt ends', async () => {
    const origin = newOrigin()
    scene.after = (ms, act) => {
      expect(ms).toBe(1_500)
      act()
      return () => undefined
    }
    scene.respond = async () => {
      await expect.poll(async () => (await scene.destination(origin))?.slowUntil).toBeGreaterThan(scene.now)
      return answered(200)
    }
    await scene.send(scene.newLane(), 'one', { origin })
    await scene.handleNext()
    expect(scene.accepted).toEqual(['one'])
  })

  const makeSlow = async (origin: string) => {
    scene.respond = () => slowly(5_000)
    await scene.send(scene.newLane(), 'slow', { origin })
    await scene.handleAll()
  }

  test('is served by the slow queue from then on', async () => {
    const origin = newOrigin()
    await makeSlow(origin)
    await scene.send(scene.newLane(), 'next', { origin })
    await scene.handleNext()
    expect(scene.accepted).toEqual(['slow'])
    expect(scene.waiting).toMatchObject([{ queue: 'slow', wakeUp: { reason: { kind: 'released' } } }])
    await scene.handleAll()
    expect(scene.accepted).toEqual(['slow', 'next'])
    expect(await scene.left()).toEqual([])
  })

  test('gets one wake-up for each lane, however many messages come meanwhile', async () => {
    const origin = newOrigin()
    await makeSlow(origin)
    const to = scene.newLane()
    for (let index = 0; index < 5; index++) await scene.send(to, String(index), { origin })
    for (let index = 0; index < 5; index++) await scene.handleNext()
    expect(scene.waiting).toHaveLength(1)
    await scene.handleAll()
    expect(scene.accepted).toEqual(['slow', '0', '1', '2', '3', '4'])
  })

  test('is no longer slow after a quick response, and after more of them each time', async () => {
    const origin = newOrigin()
    const quickly = async (count: number) => {
      scene.respond = () => answered(200)
      for (let index = 0; index < count; index++) {
        await scene.send(scene.newLane(), 'quick', { origin })
        await scene.handleAll()
      }
    }
    const isSlow = async () => (await scene.destination(origin))?.slowUntil !== undefined
    for (const needed of [1, 2, 4, 8, 8]) {
      await makeSlow(origin)
      expect(await isSlow()).toBe(true)
      await quickly(needed - 1)
      expect(await isSlow()).toBe(true)
      await quickly(1)
      expect(await isSlow()).toBe(false)
    }
  })

  test('is served also if its lane was due, or the hand-over was lost', async () => {
    const origin = newOrigin()
    await makeSlow(origin)
    const to = scene.newLane()
    scene.respond = () => answered(scene.attempts.length < 3 ? 500 : 200)
    await scene.send(to, 'due', { origin })
    await scene.pass(60 * SECOND)
    expect(scene.accepted).toEqual(['slow', 'due'])

    await makeSlow(origin)
    scene.respond = () => slowly(5_000)
    const other = scene.newLane()
    await scene.send(other, 'lost', { origin })
    await scene.handleNext()
    scene.waiting.length = 0
    await scene.pass(17 * 60 * SECOND)
    expect(scene.accepted).toEqual(['slow', 'due', 'slow', 'lost'])
    expect(await scene.left()).toEqual([])
  })

  test('gets at most four concurrent attempts; the other lanes wait in its list', async () => {
    const origin = newOrigin()
    await makeSlow(origin)
    const answers: (() => void)[] = []
    scene.respond = () => new Promise((resolve) => answers.push(() => resolve(slowly(5_000))))
    for (let index = 0; index < 6; index++) await scene.send(scene.newLane(), String(index), { origin })
    while (scene.waiting.some(({ queue }) => queue === 'fast')) await scene.handleNext()
    const running = scene.waiting.splice(0).map((sent) => scene.handle(sent))
    await expect.poll(() => answers.length).toBe(4)
    await expect.poll(async () => (await scene.left()).filter((kind) => kind === 'waiting-lane').length).toBe(2)
    scene.respond = () => slowly(5_000)
    for (const answer of answers) answer()
    await Promise.all(running)
    expect(scene.accepted).toHaveLength(5)
    await scene.pass(30 * SECOND)
    expect(scene.accepted).toHaveLength(7)
    await scene.pass(30 * SECOND)
    expect(await scene.left()).toEqual([])
  })
})

describe('a wake-up for a lane that waits', () => {
  test.each(['for a time', 'for a destination'])('%s costs one request', async (_for) => {
    const to = scene.newLane()
    const origin = newOrigin()
    scene.respond = () => (_for === 'for a time' ? answered(500) : failing('connect'))
    await scene.send(to, 'one', { origin })
    await scene.handleNext()
    await scene.send(to, 'two', { origin })
    scene.table.watch()
    await scene.handleNext()
    expect(scene.attempts).toHaveLength(1)
    expect(scene.table.requests).toEqual(['UpdateItem'])
  })
})

describe('a wake-up for a lane of an unknown kind', () => {
  test('leaves no item, and is not repeated', async () => {
    await scene.committed('unknown')
    expect(await scene.left()).toEqual([])
    expect(scene.waiting).toEqual([])
  })
})

test('messages to one origin are one destination, for any path', async () => {
  scene.respond = () => failing('connect')
  await scene.send(scene.newLane(), 'x', { origin: ORIGIN })
  await scene.handleNext()
  expect((await scene.destination(ORIGIN))?.closedAt).toBeDefined()
})
