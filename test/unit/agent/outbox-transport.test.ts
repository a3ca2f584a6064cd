/** What a unit of work sends: one item for each connection, and a wake-up that says whether anything was waiting before it. */
import type { DidCommOutboundPackage } from '@credo-ts/didcomm'
import { beforeEach, expect, test } from 'vitest'
import { useTableAndQueues } from '../outbox/table-and-queues.ts'

const { table, queues } = await useTableAndQueues({ check: false })
const { transaction } = await import('../../../lib/store/transaction.ts')
const { OutboxTransport } = await import('../../../lib/agent/outbox-transport.ts')
const transport = new OutboxTransport()
const send = (tenant: string, packages: { endpoint: string; connectionId?: string }[]) =>
  transaction(tenant, () =>
    Promise.all(
      packages.map((one) => transport.sendMessage({ payload: {}, ...one } as unknown as DidCommOutboundPackage)),
    ),
  )
beforeEach(() => queues.clear())

const ENDPOINT = 'https://mediator.example:8443/inbox?x=1'
const first = { kind: 'committed', first: { id: expect.any(String), destination: 'https://mediator.example:8443' } }

test('the wake-up of a message that nothing waits before names it and its destination', async () => {
  await send('acme', [{ endpoint: ENDPOINT, connectionId: 'c1' }])
  expect(queues.sent).toMatchObject([{ body: { lane: 'acme|ConnectionRecord|c1', reason: first } }])
  const [item] = (await table.items('acme|ConnectionRecord|c1')).filter(({ kind }) => kind?.S === 'outbox')
  expect(queues.sent[0]?.body).toMatchObject({ reason: { first: { id: item?.sk?.S } } })
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
