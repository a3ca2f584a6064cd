/** The table or SQS fails at each single request, before or after its effect: nothing is lost, and nothing is sent twice that need not be. */
import { describe, expect, test } from 'vitest'
import type { PostOutcome } from '../../../lib/egress/post.ts'
import { dynamodb } from '../../../lib/store/client.ts'
import { FAULTS, StoreFaults } from '../../support/table/store-fault.ts'
import { failure } from '../store/started-table.ts'
import { answered, failing, STRIKES, slowly, useOutboxScene } from './scene.ts'

const scene = await useOutboxScene()
const faults = new StoreFaults(dynamodb())

const SECOND = 1_000
const MINUTE = 60 * SECOND
let made = 0

/** How the first attempts end, while one of the requests of the delivery fails. */
const SITUATIONS: Record<string, PostOutcome[]> = {
  'a delivery': [],
  'a failed attempt': [answered(500)],
  'a failure that closes the destination': [failing('connect')],
  'a failure among several': [answered(503)],
  'an attempt that was slow': [slowly(5_000)],
}

describe.each(Object.keys(SITUATIONS))('%s', (situation) => {
  test.each(STRIKES)('loses nothing if a request %s', async (fault) => {
    const kind = FAULTS[fault]
    if (kind === undefined) throw new Error('no such fault')
    const first = SITUATIONS[situation] ?? []
    for (let at = 1; ; at++) {
      scene.accepted.length = 0
      const outcomes = [...first]
      scene.respond = () => outcomes.shift() ?? answered(200)
      const to = scene.newLane()
      const origin = `https://wallet-${made++}.example`
      await scene.commit(to, 'one', { origin })
      await scene.send(to, 'two', { origin })
      const [one] = scene.waiting.splice(0)
      if (one === undefined) throw new Error('no wake-up')
      const { injected } = await faults.inject(at, kind, () => scene.handleOrRepeat(one))
      await scene.pass(20 * MINUTE)
      expect(await scene.left(), `request ${at}`).toEqual([])
      expect([...new Set(scene.accepted)], `request ${at}`).toEqual(['one', 'two'])
      // Twice only if the receiver has accepted it and that could not be recorded.
      expect(scene.accepted.length, `request ${at}`).toBeLessThanOrEqual(3)
      if (!injected) break
    }
  })
})

describe('SQS', () => {
  test.each<[string, PostOutcome]>([
    ['a failed attempt', answered(500)],
    ['a failure that closes the destination', failing('connect')],
    ['an attempt that was slow', slowly(5_000)],
  ])('that accepts nothing after %s costs a minute or two, and no message', async (_name, outcome) => {
    const outcomes = [outcome]
    scene.respond = () => outcomes.shift() ?? answered(200)
    const to = scene.newLane()
    const origin = `https://wallet-${made++}.example`
    await scene.send(to, 'one', { origin })
    await scene.send(to, 'two', { origin })
    scene.sqsFails = true
    for (const one of scene.waiting.splice(0)) await scene.handleOrRepeat(one)
    scene.sqsFails = false
    await scene.pass(17 * MINUTE)
    expect(scene.accepted).toEqual(['one', 'two'])
    expect(await scene.left()).toEqual([])
  })
})

test('a lane that cannot be released because of conflicts is tried again by its wake-up', async () => {
  const to = scene.newLane()
  await scene.send(to, 'one', { origin: `https://wallet-${made++}.example` })
  const [one] = scene.waiting.splice(0)
  if (one === undefined) throw new Error('no wake-up')
  scene.table.way = async (command, send) => {
    if (command === 'TransactWriteItems') throw failure('TransactionConflictException')
    await send()
  }
  await scene.handleOrRepeat(one)
  scene.table.way = undefined
  await scene.pass(5 * MINUTE)
  expect([...new Set(scene.accepted)]).toEqual(['one'])
  expect(await scene.left()).toEqual([])
})

test('if a process dies after the receiver has accepted a message and before that is recorded, it is sent again after the lease', async () => {
  const to = scene.newLane()
  await scene.send(to, 'one', { origin: `https://wallet-${made++}.example` })
  const [one] = scene.waiting.splice(0)
  if (one === undefined) throw new Error('no wake-up')
  let died = false
  scene.respond = () => {
    // From here on nothing of this process reaches the table.
    scene.table.way = died ? undefined : () => Promise.reject(new Error('dead'))
    died = true
    return answered(200)
  }
  await scene.handleOrRepeat(one)
  scene.table.way = undefined
  await scene.pass(5 * MINUTE)
  expect(scene.accepted).toEqual(['one', 'one'])
  expect(await scene.left()).toEqual([])
})
