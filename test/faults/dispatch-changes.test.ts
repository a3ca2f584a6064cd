/** dispatchChanges dies, or one of its calls fails, at each kind of call: still every event is sent, once, in order, with the same id. */
import { afterAll, expect, test, vi } from 'vitest'
import { outboxItem } from '../../lib/outbox/messages/message-item.ts'
import type { EndpointKind } from '../../lib/records/webhook-event.ts'
import { toRecordItem } from '../../lib/store/stored-record.ts'
import { queryAll } from '../../lib/store/table.ts'
import { transaction } from '../../lib/store/transaction.ts'
import { insertTenant } from '../../lib/tenants/tenants.ts'
import { eventItem, eventPartitions } from '../../lib/webhooks/event-item.ts'
import { registerEndpoint } from '../../lib/webhooks/registrations.ts'
import { failuresOf, type InjectedFailure, startPipeline } from '../support/delivery/pipeline.ts'
import { placesToTry } from '../support/depth.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'

const KINDS = ['webhook', 'notification'] as const

let number = 0

vi.spyOn(console, 'log').mockImplementation(() => {})
// The queues are in this process: delays, leases and visibility timeouts all go by this clock.
vi.useFakeTimers({ toFake: ['Date'] })
const pipeline = await stopAtEnd(startPipeline())
const receiver = await stopAtEnd(startFaultyReceiver())
afterAll(async () => {
  vi.useRealTimers()
})

const at = (version: number): string => new Date(Date.UTC(2026, 10, 20) + version * 1000).toISOString()

/** A tenant whose organization has both endpoints. */
const newTenant = async (): Promise<{ tenant: string; endpoints: Record<EndpointKind, string> }> => {
  const tenant = `tenant${++number}`
  await transaction(tenant, async (unit) =>
    insertTenant(unit, { id: tenant, label: tenant, orgId: tenant, createdAt: at(0) }),
  )
  const [webhook = '', notification = ''] = await Promise.all(
    KINDS.map(async (kind) => {
      const url = `${receiver.url}/${tenant}/${kind}`
      const { registration } = await transaction(tenant, (unit) => registerEndpoint(unit, { orgId: tenant, kind, url }))
      return registration.id
    }),
  )
  return { tenant, endpoints: { webhook, notification } }
}

const writeRecord = (tenant: string, type: string, id: string, state: string, version: number) =>
  pipeline.put(
    toRecordItem({
      ...{ tenant, type, id, version, tags: { state } },
      value: { id, state, createdAt: at(1), updatedAt: at(version), metadata: {} },
    }),
  )

/** Changes of three records, one of them of a kind without events, and a message to a wallet. */
const change = async (tenant: string): Promise<void> => {
  await writeRecord(tenant, 'ProofRecord', 'proof', 'request-sent', 1)
  await writeRecord(tenant, 'ConnectionRecord', 'connection', 'response-sent', 1)
  await writeRecord(tenant, 'ProofRecord', 'proof', 'presentation-received', 2)
  await writeRecord(tenant, 'DidRecord', 'did', 'unheard', 1)
  await writeRecord(tenant, 'ConnectionRecord', 'connection', 'completed', 2)
  const message = { id: 'message', createdAt: new Date().toISOString() }
  await pipeline.put(
    toRecordItem({
      ...{ tenant, type: 'BasicMessageRecord', id: message.id, version: 1, tags: { connectionId: 'c1' } },
      value: { ...message, connectionId: 'c1', role: 'sender', content: 'hello', metadata: {} },
    }),
  )
  await pipeline.put(
    outboxItem.encode({
      ...{ tenant, connectionId: 'c1', id: 'o1', createdAt: new Date().toISOString(), taken: 0, attempts: 0 },
      messages: [{ endpoint: `${receiver.url}/wallet`, payload: '{}' }],
      basicMessages: [message],
    }),
  )
  // Not a new state.
  await writeRecord(tenant, 'ProofRecord', 'proof', 'presentation-received', 3)
  await writeRecord(tenant, 'ProofRecord', 'proof', 'done', 4)
}

const STORIES = {
  proof: [
    'proof.state_changed 1 request-sent',
    'proof.state_changed 2 presentation-received',
    'proof.state_changed 4 done',
  ],
  connection: ['connection.state_changed 1 response-sent', 'connection.state_changed 2 completed'],
  message: ['basic_message.sent 1', 'basic_message.delivered 2'],
}

const EVENTS = Object.values(STORIES).flat().length

/** Events that an endpoint has received of each record, in order, and the number of repeated ones. */
const heardBy = (tenant: string, kind: EndpointKind) => {
  const all = receiver.received
    .filter(({ path }) => path === `/${tenant}/${kind}`)
    .map(({ body, headers }) => ({ id: String(headers['webhook-id']), ...JSON.parse(body) }))
  const heard = all.filter(({ id }, index) => all.findIndex((other) => other.id === id) === index)
  const stories = [...Map.groupBy(heard, ({ data }) => data.record.id)].map(([recordId, events]) => [
    recordId,
    events.map(({ type, data }) => [type, data.sequence, data.record.state].filter((part) => part).join(' ')),
  ])
  const ids = heard.map(({ id }) => id)
  return { ids, stories: Object.fromEntries(stories), again: all.length - ids.length }
}

/**
 * Lets the same changes happen to a new tenant, has them dispatched, during which the failure occurs, then delivered, and checks which
 * events its endpoints have received. Returns the calls of the dispatcher.
 */
const scenario = async (mishap?: InjectedFailure): Promise<string[]> => {
  // Events of earlier tenants do not concern this one, and are not to be searched each time.
  receiver.received.length = 0
  const { tenant, endpoints } = await newTenant()
  await change(tenant)
  pipeline.plan(mishap)
  while ((await pipeline.dispatch()) > 0);
  const calls = pipeline.calls.map(({ name }) => name)
  pipeline.plan()
  await pipeline.settle(async () => KINDS.every((kind) => heardBy(tenant, kind).ids.length === EVENTS))
  while ((await pipeline.dispatch()) + (await pipeline.deliver(10)) > 0);
  for (const kind of KINDS) {
    const { ids, stories, again } = heardBy(tenant, kind)
    expect({ mishap, stories, again }).toEqual({ mishap, stories: STORIES, again: 0 })
    const items = (await Promise.all(eventPartitions(endpoints[kind]).map(queryAll))).flat().filter(eventItem.is)
    const events = items.map(eventItem.decode)
    expect(events.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    expect(new Set(events.map(({ state }) => state))).toEqual(new Set(['delivered']))
  }
  expect(pipeline.dead()).toBe(0)
  return calls
}

test('a call of the dispatcher that dies, fails or succeeds in part does not lose, duplicate or reorder an event', async () => {
  const calls = await scenario()
  expect(new Set(calls)).toEqual(
    new Set(['GetItemCommand', 'QueryCommand', 'PutItemCommand', 'SendMessageBatchCommand']),
  )
  for (const mishap of failuresOf(calls)) await scenario(mishap)
  for (const index of placesToTry(calls))
    if (calls[index] === 'SendMessageBatchCommand')
      await scenario({ call: index + 1, kind: 'refuses the first entry', when: 'before' })
})
