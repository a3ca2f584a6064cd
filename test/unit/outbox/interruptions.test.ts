/** The process dies at each single write of a delivery, probe or release, or another item is committed between two of its requests: no item is lost. */
import { describe, expect, test } from 'vitest'
import { answered, failing, newOrigin, type OutboxScene, type SentWakeUp, useOutboxScene } from './scene.ts'

const scene = await useOutboxScene()

const SECOND = 1_000
const MINUTE = 60 * SECOND

const isWrite = (command: string): boolean => !/^(Get|BatchGet|Query)/.test(command)

/** Handles a wake-up in a process that dies at the given write, before or after it was done. Returns whether it made so many writes. */
const dieAt = async (write: number, after: boolean, one: SentWakeUp): Promise<boolean> => {
  let writes = 0
  let over = false
  scene.table.way = async (command, send) => {
    if (isWrite(command)) writes += 1
    if (writes < write && !over) return send()
    if (writes === write && after && isWrite(command)) await send()
    if (!over) scene.sqsFails = true
    throw new Error('dead')
  }
  await scene.handle(one).catch(() => undefined)
  over = true
  scene.table.way = undefined
  scene.sqsFails = false
  return writes >= write
}

/** Handles a wake-up; before or after the given request, something else happens. Returns whether it made so many requests. */
const interruptAt = async (
  request: number,
  after: boolean,
  one: SentWakeUp,
  happen: () => Promise<void>,
): Promise<boolean> => {
  let requests = 0
  const way: OutboxScene['table']['way'] = async (_, send) => {
    requests += 1
    const isNow = requests === request
    if (!isNow || after) await send()
    if (!isNow) return
    scene.table.way = undefined
    await happen()
    scene.table.way = way
    if (!after) await send()
  }
  scene.table.way = way
  await scene.handle(one)
  scene.table.way = undefined
  return requests >= request
}

const next = (isWanted: (one: SentWakeUp) => boolean = () => true): SentWakeUp => {
  const index = scene.waiting.findIndex(isWanted)
  const [found] = index === -1 ? [] : scene.waiting.splice(index, 1)
  if (found === undefined) throw new Error('no such wake-up')
  return found
}

const lanesTried = (): string[] => [...new Set(scene.attempts.map(({ lane }) => lane))]

/** The messages of a lane in the order of their first attempts. */
const triedIn = (lane: string): string[] => [
  ...new Set(scene.attempts.filter((sent) => sent.lane === lane).map(({ payload }) => payload)),
]

/** The destination of the messages of a lane. */
const origins = new Map<string, string>()
const originOf = (lane: string): string => origins.get(lane) ?? ''

const ofLane = (lane: string, kind: string) => (one: SentWakeUp) =>
  'lane' in one.wakeUp && one.wakeUp.lane === lane && one.wakeUp.reason.kind === kind

const isRelease = ({ wakeUp }: SentWakeUp): boolean => 'lane' in wakeUp && wakeUp.reason.kind === 'released'

/** Two messages of one lane, which is woken by the first. */
const two = async (unknown = false, origin = newOrigin()) => {
  const to = scene.newLane()
  await scene.send(to, 'one', { origin, unknown })
  await scene.commit(to, 'two', { origin, unknown })
  origins.set(to.lane, origin)
  return { ...to, origin }
}

/** The destination of the lane has closed, and the lane waits for it. */
const closed = async () => {
  const to = await two()
  scene.respond = () => failing('connect')
  await scene.handleAll()
  scene.respond = () => answered(200)
  scene.now += 3 * SECOND
  return to
}

/** Brings a lane with two messages to the wake-up that is interrupted. */
const SITUATIONS: Record<string, () => Promise<SentWakeUp>> = {
  'a lane of a quick destination': async () => {
    await two()
    return next()
  },
  'a lane of an unknown destination': async () => {
    await two(true)
    return next()
  },
  'a lane that was handed over': async () => {
    const { lane } = await two(true)
    await scene.handle(next())
    return next(ofLane(lane, 'released'))
  },
  'a lane that is due after a failure': async () => {
    const { lane } = await two()
    scene.respond = () => answered(500)
    await scene.handle(next())
    scene.respond = () => answered(200)
    scene.now += 2 * SECOND
    await scene.handle(next())
    return next(ofLane(lane, 'due'))
  },
  'a destination that is to be probed': async () => {
    await closed()
    return next()
  },
  'a lane that probes': async () => {
    const { lane } = await closed()
    await scene.handle(next())
    return next(ofLane(lane, 'probe'))
  },
  'a destination that releases its lanes': async () => {
    const { origin } = await closed()
    const other = await two(false, origin)
    await scene.handle(next(ofLane(other.lane, 'committed')))
    await scene.handle(next())
    await scene.handle(next())
    return next()
  },
  'a lane that was released': async () => {
    const { origin } = await closed()
    const other = await two(false, origin)
    await scene.handle(next(ofLane(other.lane, 'committed')))
    // The first one probes and opens the destination, which then releases the other.
    while (!scene.waiting.some(isRelease)) {
      scene.now += SECOND
      await scene.handleNext()
    }
    return next(isRelease)
  },
}

describe.each(Object.entries(SITUATIONS))('%s', (_, arrive) => {
  test.each([
    ['before', false],
    ['after', true],
  ])('is served within minutes if the process dies %s a write', async (_name, after) => {
    for (let write = 1; ; write++) {
      await scene.reset()
      const one = await arrive()
      const died = await dieAt(write, after, one)
      scene.waiting.push({ ...one, at: scene.now + 3 * MINUTE, delaySeconds: 0, repeated: true })
      await scene.pass(6 * MINUTE)
      expect(await scene.left(), `write ${write}`).toEqual([])
      for (const lane of lanesTried()) expect(triedIn(lane), `write ${write}`).toEqual(['one', 'two'])
      if (!died) break
    }
  })
})

describe.each(Object.entries(SITUATIONS).filter(([name]) => name.startsWith('a lane')))('%s', (_, arrive) => {
  test.each([
    ['before', false],
    ['after', true],
  ])(
    'delivers an item that is committed %s any of its requests, whose wake-up arrives meanwhile',
    async (_name, after) => {
      for (let request = 1; ; request++) {
        await scene.reset()
        const one = await arrive()
        const lane = 'lane' in one.wakeUp ? one.wakeUp.lane : ''
        const [tenant = '', , connectionId = ''] = lane.split('|')
        const commit = async () => {
          await scene.commit({ tenant, connectionId }, 'three', { origin: originOf(lane) })
          await scene.committed(lane)
        }
        if (!(await interruptAt(request, after, one, commit))) break
        await scene.pass(6 * MINUTE)
        expect(await scene.left(), `request ${request}`).toEqual([])
        expect(triedIn(lane), `request ${request}`).toEqual(['one', 'two', 'three'])
      }
    },
  )
})

describe.each(Object.entries(SITUATIONS))('%s', (_, arrive) => {
  test('sends nothing twice if its wake-up is repeated between two of its requests', async () => {
    for (let request = 1; request < 20; request++) {
      await scene.reset()
      const one = await arrive()
      scene.attempts.length = 0
      if (!(await interruptAt(request, true, one, () => scene.handle({ ...one, repeated: true })))) break
      await scene.pass(6 * MINUTE)
      expect(await scene.left(), `request ${request}`).toEqual([])
      for (const lane of lanesTried())
        expect(scene.attempts.filter((sent) => sent.lane === lane)).toHaveLength(triedIn(lane).length)
    }
  })
})
