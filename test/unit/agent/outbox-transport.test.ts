/** What a unit of work sends: one item for each connection, and a wake-up that tells whether anything was waiting before it. */
import type { DidCommOutboundPackage } from '@credo-ts/didcomm'
import { beforeEach, expect, test } from 'vitest'
import { messageLaneContents } from '../../../lib/outbox/message-lane.ts'
import { messageLane, messageLaneOf } from '../../../lib/outbox/wake-ups/keys.ts'
import type { LaneWakeUp } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { digest } from '../../../lib/store/keys.ts'
import { leaseLane } from '../outbox/lease-lane.ts'
import { useTableAndQueues } from '../outbox/table-and-queues.ts'

const { table, queues } = await useTableAndQueues({ check: false })
const { transaction } = await import('../../../lib/store/transaction.ts')
const { destinationAt } = await import('../../../lib/outbox/messages/message-item.ts')
const { addToOutbox, laneOf, OutboxTransport } = await import('../../../lib/agent/transport/outbox-transport.ts')
const transport = new OutboxTransport()
const send = (tenant: string, packages: { endpoint: string; connectionId?: string; payload?: object }[]) =>
  transaction(tenant, () =>
    Promise.all(
      packages.map((one) => transport.sendMessage({ payload: {}, ...one } as unknown as DidCommOutboundPackage)),
    ),
  )
beforeEach(() => queues.clear())

const ENDPOINT = 'https://mediator.example:8443/inbox?x=1'
const first = { kind: 'committed', first: { id: expect.any(String), destination: destinationAt(ENDPOINT) } }

test('the wake-up of a message that nothing waits before names it and its destination', async () => {
  await send('acme', [{ endpoint: ENDPOINT, connectionId: 'c1' }])
  expect(queues.sent).toMatchObject([{ body: { lane: 'acme|ConnectionRecord|c1', reason: first } }])
  const [item] = (await table.items('acme|ConnectionRecord|c1')).filter(({ kind }) => kind?.S === 'outbox')
  expect(queues.sent[0]?.body).toMatchObject({ reason: { first: { id: item?.sk?.S } } })
})

test('an endpoint that is not a URL is one destination, which the address guard rejects', () => {
  for (const endpoint of ['http://[', undefined]) expect(destinationAt(endpoint)).toBe('invalid')
})

test('a message without an endpoint is not dropped in silence', async () => {
  await expect(send('acme', [Object({ connectionId: 'c1' })])).rejects.toThrow('no endpoint')
})

test('that of one behind another one names nothing', async () => {
  await send('acme', [{ endpoint: ENDPOINT, connectionId: 'c2' }])
  await send('acme', [{ endpoint: ENDPOINT, connectionId: 'c2' }])
  expect(queues.sent.map(({ body }) => body.reason)).toEqual([first, { kind: 'committed' }])
})

test('several messages to one connection that are sent side by side are one item with one wake-up', async () => {
  await send(
    'acme',
    [1, 2, 3].map(() => ({ endpoint: ENDPOINT, connectionId: 'c3' })),
  )
  expect(queues.sent).toHaveLength(1)
  expect(await table.items('acme|ConnectionRecord|c3')).toHaveLength(1)
})

test('messages without a connection wait for none of another wallet at the same endpoint', async () => {
  const payloads = [{ to: 'one' }, { to: 'other' }]
  for (const payload of payloads) await send('acme', [{ endpoint: ENDPOINT, payload }])
  expect(queues.sent.map(({ body }) => body)).toMatchObject(
    payloads.map((payload) => ({ lane: messageLane('acme', digest(JSON.stringify(payload))), reason: first })),
  )
})

test('what is sent to a DID after a rotation has a lane of its own, and what is sent to the first one stays in that of the connection', async () => {
  const rotations = { firstDid: digest('did:example:a'), at: [] }
  expect(laneOf('c4', 'did:example:a', undefined)).toEqual({ connectionId: 'c4' })
  expect(laneOf('c4', 'did:example:a', rotations)).toEqual({ connectionId: 'c4' })
  const lane = laneOf('c4', 'did:example:b', rotations)
  expect(lane).toEqual({ connectionId: 'c4', did: digest('did:example:b') })
  await transaction('acme', () => addToOutbox(lane, { endpoint: ENDPOINT, payload: 'x' }))
  const name = messageLane('acme', 'c4', lane.did)
  expect(messageLaneOf(name)).toEqual({ tenant: 'acme', ...lane })
  expect(queues.sent).toMatchObject([{ body: { lane: name, reason: first } }])
  expect(await table.items('acme|ConnectionRecord|c4')).toHaveLength(1)
  expect(await messageLaneContents(name)?.read(Date.now())).toMatchObject({ items: [{ item: lane }] })
  expect(await messageLaneContents(messageLane('acme', 'c4'))?.read(Date.now())).toMatchObject({ items: [] })
})

test('a message with a delay leaves later: its lane is due then, and no other wake-up leases it before', async () => {
  const lane = { connectionId: 'c5', did: 'a' }
  const name = messageLane('acme', 'c5', 'a')
  const before = Date.now()
  await transaction('acme', () => addToOutbox(lane, { endpoint: ENDPOINT, payload: 'x' }, 2_000))
  const [{ body, queue, delay } = { body: {} as never, queue: '', delay: 0 }] = queues.sent
  expect({ queue, delay, count: queues.sent.length }).toEqual({ queue: 'timers', delay: 2, count: 1 })
  expect(body).toMatchObject({ lane: name, reason: { kind: 'due', at: expect.any(Number) } })
  const committed = { lane: name, reason: { kind: 'committed' } } as const
  expect(await leaseLane(committed, 'one', before + 1_999)).toMatchObject({ leased: undefined })
  expect(await leaseLane(body as LaneWakeUp, 'two', Date.now())).toMatchObject({ leased: { lane: name } })
  // Behind another message it has no delay of its own, nor where a process has died with the lane.
  await transaction('acme', () => addToOutbox(lane, { endpoint: ENDPOINT, payload: 'y' }, 2_000))
  await leaseLane({ ...committed, lane: messageLane('acme', 'c5', 'b') }, 'three', before)
  await transaction('acme', () => addToOutbox({ ...lane, did: 'b' }, { endpoint: ENDPOINT, payload: 'z' }, 2_000))
  expect(queues.sent.slice(1)).toMatchObject([
    { queue: 'wake-ups.fifo', body: committed },
    { queue: 'wake-ups.fifo', body: { lane: messageLane('acme', 'c5', 'b'), reason: first } },
  ])
})

test('a message with a delay does not hold back one that waits before it, and whose lane is not leased yet', async () => {
  const lane = { connectionId: 'c5', did: 'c' }
  await transaction('acme', () => addToOutbox(lane, { endpoint: ENDPOINT, payload: 'x' }))
  await transaction('acme', () => addToOutbox(lane, { endpoint: ENDPOINT, payload: 'y' }, 2_000))
  expect(queues.sent.map(({ queue }) => queue)).toEqual(['wake-ups.fifo', 'wake-ups.fifo'])
})

test('messages of more than 400 KB are rejected, and not stored', async () => {
  const withRoom = 400 * 1024 - 200
  const to = (connectionId: string, size: number) => ({
    endpoint: ENDPOINT,
    connectionId,
    payload: { x: 'x'.repeat(size) },
  })
  await send('acme', [to('c6', withRoom)])
  expect(await table.items('acme|ConnectionRecord|c6')).toHaveLength(1)
  await expect(send('acme', [to('c7', withRoom + 200)])).rejects.toMatchObject({ code: 'store.item_too_large' })
  expect(await table.items('acme|ConnectionRecord|c7')).toEqual([])
})
