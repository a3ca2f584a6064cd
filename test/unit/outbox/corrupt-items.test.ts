/** Corrupt items are set aside and reported, and the items behind them are delivered. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { destinationItem } from '../../../lib/outbox/destinations/destination.ts'
import { readDestination } from '../../../lib/outbox/destinations/destination-access.ts'
import { laneItem } from '../../../lib/outbox/lanes/lane.ts'
import { outboxItem, outcomeItem } from '../../../lib/outbox/messages/message-item.ts'
import { newOutboxId } from '../../../lib/outbox/messages/outbox-id.ts'
import { itemBytes } from '../../../lib/store/item.ts'
import type { Item } from '../../../lib/store/table.ts'
import { failing, newOrigin, useOutboxScene } from './scene.ts'

const lines: string[] = []

process.env.LOG_LEVEL = 'debug'
vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
const scene = await useOutboxScene()
beforeEach(async () => {
  lines.length = 0
  await scene.reset()
})

const MINUTE = 60_000

const basicMessage = { id: 'm1', createdAt: '2026-01-01T00:00:00.000Z' }
const encoded = ({ tenant, connectionId }: { tenant: string; connectionId: string }): Item =>
  outboxItem.encode({
    ...{ tenant, connectionId, id: newOutboxId(scene.now), taken: 0, attempts: 2 },
    messages: [{ endpoint: 'https://wallet.example/', payload: 'corrupt' }],
    basicMessages: [basicMessage],
    createdAt: new Date(scene.now).toISOString(),
  })
const ofKind = async (kind: string) => (await scene.table.items()).filter((item) => item.kind?.S === kind)
const counted = () => lines.map((line) => JSON.parse(line)).filter(({ WorkGivenUp }) => WorkGivenUp === 1)

describe('a message that is corrupt', () => {
  test.each<[string, Item]>([
    ['its messages', { messages: { S: '{"secret' } }],
    ['a field that it lacks', { createdAt: { N: '1' } }],
    ['when it was sent', { createdAt: { S: 'garbage' } }],
    ['when it was redriven', { pendingSince: { S: 'garbage' } }],
    ['its kind', { kind: { S: 'nonsense' } }],
  ])(
    'in %s has failed, is stored unchanged, and the messages before and behind it are delivered',
    async (_name, change) => {
      const to = scene.newLane()
      await scene.commit(to, 'before')
      const item = { ...encoded(to), ...change }
      await scene.table.put(item)
      await scene.send(to, 'behind')
      await scene.handleAll()
      expect(scene.accepted).toEqual(['before', 'behind'])
      expect(await scene.left()).toEqual([])
      const [failed, ...others] = await ofKind('outbox-outcome')
      expect(others).toEqual([])
      expect(failed && outcomeItem.decode(failed)).toMatchObject({ id: item.sk?.S, messages: [] })
      const [kept] = await ofKind('corrupt-item')
      const { pk, sk, kind, ...rest } = item
      expect(kept).toMatchObject({ ...rest, corruptPk: pk, corruptSk: sk, corruptKind: kind })
      const about = { tenant: to.tenant, outboxId: item.sk?.S, movedTo: kept?.pk?.S }
      expect(counted()).toMatchObject([{ event: 'outbox.item_corrupt', ...about }])
      expect(lines.join()).not.toContain('secret')
    },
  )

  test('with the maximum size of an item is stored without its largest attribute', async () => {
    const to = scene.newLane()
    const item: Item = { ...encoded(to), messages: { S: '' } }
    const messages = { S: 'x'.repeat(400 * 1024 - itemBytes(item)) }
    await scene.table.put({ ...item, messages })
    await scene.send(to, 'behind')
    await scene.handleAll()
    expect(scene.accepted).toEqual(['behind'])
    const [kept] = await ofKind('corrupt-item')
    const { pk, sk, kind, messages: _, ...rest } = item
    expect(kept).toMatchObject({ ...rest, corruptPk: pk, corruptSk: sk, corruptKind: kind })
    expect(kept).toMatchObject({ corruptLacks: { S: 'messages' } })
    expect(kept).not.toHaveProperty('messages')
    expect(Math.round((Number(kept?.expiresAt?.N) - scene.now / 1000) / (24 * 3600))).toBe(90)
  })

  test('is reported as failed, if its basic messages can be read', async () => {
    const to = scene.newLane()
    await scene.table.put({ ...encoded(to), messages: { S: '[1]' } })
    await scene.committed(to.lane)
    const [failed] = await ofKind('outbox-outcome')
    expect(failed && outcomeItem.decode(failed)).toMatchObject({ basicMessages: [basicMessage], attempts: 2 })
  })
})

describe('state that is corrupt', () => {
  test('of a lane is replaced, and the lane is delivered', async () => {
    const to = scene.newLane()
    await scene.commit(to, 'one')
    await scene.table.put({ ...laneItem.encode({ lane: to.lane }), failures: { S: 'many' } })
    await expect(scene.committed(to.lane)).rejects.toThrow()
    await scene.pass(2 * MINUTE)
    expect(scene.accepted).toEqual(['one'])
    expect(await scene.left()).toEqual([])
    expect(counted()).toHaveLength(1)
  })

  test('of a destination is replaced, and the lanes that wait for it are delivered', async () => {
    const origin = newOrigin()
    const { respond } = scene
    scene.respond = () => failing('connect')
    await scene.sendTo(origin, 3)
    await scene.handleAll()
    scene.respond = respond
    scene.now += MINUTE
    const closed = await scene.destination(origin)
    await scene.table.put({
      ...destinationItem.encode({ ...closed, destination: origin, version: 5 }),
      suspicions: { S: 'none' },
    })
    await scene.pass(3 * MINUTE)
    expect(scene.accepted).toHaveLength(3)
    expect(await scene.left()).toEqual([])
  })

  test('of a destination without its version is replaced', async () => {
    const destination = newOrigin()
    const { version: _, ...corrupt } = destinationItem.encode({ destination, version: 1, closedAt: scene.now })
    await scene.table.put(corrupt)
    const renewed = await readDestination(destination, scene.now)
    expect(renewed).toMatchObject({ destination, version: expect.any(Number), dueAt: scene.now })
    expect(renewed).not.toHaveProperty('closedAt')
    expect(await scene.destination(destination)).toEqual(renewed)
  })

  test('of a destination is replaced once: later writes of another process stay', async () => {
    const destination = newOrigin()
    const sound = { destination, version: 2, closedAt: scene.now }
    await scene.table.put({ ...destinationItem.encode({ ...sound, version: 1 }), closedAt: { S: 'ever' } })
    scene.table.way = async (command, send) => {
      if (command === 'UpdateItem') await scene.table.put(destinationItem.encode(sound))
      return send()
    }
    expect(await readDestination(destination, scene.now)).toEqual(sound)
    expect(counted()).toEqual([])
  })

  test('of an entry in a waiting list does not block the others, and its lane is delivered', async () => {
    const origin = newOrigin()
    const { respond } = scene
    scene.respond = () => failing('connect')
    await scene.sendTo(origin, 3)
    await scene.handleAll()
    scene.respond = respond
    const [entry] = await ofKind('waiting-lane')
    await scene.table.put({ ...entry, since: { S: 'ever' } })
    const { lane, ...nameless } = entry ?? {}
    await scene.table.put({ ...nameless, sk: { S: `${lane?.S}|nameless` } })
    await scene.pass(10 * MINUTE)
    expect(scene.accepted).toHaveLength(3)
    expect(await scene.left()).toEqual([])
  })
})
